import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

it("shows examples/readme.ts as the README's example", () => {
  const [, block] = /```ts\n([\s\S]*?)```/.exec(read('../../README.md')) ?? [];
  expect(block).toBe(read('../readme.ts'));
});

it('runs as the README shows it', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  onTestFinished(() => printed.mockRestore());
  vi.stubEnv('COORDINATOR_URL', 'memory:readme');
  await import('../readme.js');
  expect(printed.mock.calls.flat()).toEqual([
    expect.stringMatching(/^alone, with token \d+$/),
    expect.stringMatching(/^free again, with token \d+$/),
  ]);
});
