import { expect, it } from 'vitest';
import { Notices } from '../src/cli/notices.js';

function collect(isTTY: boolean): { notices: Notices; written: () => string } {
  let text = '';
  const write = (chunk: string | Uint8Array): boolean => {
    text += String(chunk);
    return true;
  };
  return { notices: new Notices({ write, isTTY }), written: () => text };
}

it('writes one line for each change when there is no terminal', () => {
  const { notices, written } = collect(false);
  notices.status('place 3');
  notices.status('place 3');
  notices.status('place 2');
  notices.clear();
  notices.line('granted');
  expect(written()).toBe('concordat: place 3\nconcordat: place 2\nconcordat: granted\n');
});

it('writes over the status at a terminal, and takes it away', () => {
  const { notices, written } = collect(true);
  notices.status('place 3');
  notices.status('place 2');
  notices.line('granted');
  notices.clear();
  const erase = '\r\u001B[2K';
  expect(written()).toBe(`${erase}concordat: place 3${erase}concordat: place 2${erase}concordat: granted\n`);
});
