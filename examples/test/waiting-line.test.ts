import { describe, expect, it } from 'vitest';
import { tellWaitingLine } from '../waiting-line.js';
import { liveStores } from './live-stores.js';

async function told(url: string): Promise<string> {
  const lines: string[] = [];
  await tellWaitingLine(url, (line) => lines.push(line));
  return lines.join('\n');
}

/** The story without what differs from run to run. */
function outline(story: string): readonly string[] {
  return story
    .split('\n')
    .slice(1)
    .map((line) =>
      line
        .replace(/token \d+/g, 'token')
        .replace(/ \(and \w+, of the own release\)/, '')
        .replace(/, after .*/, '')
        .replace(/lock ".*"/, 'lock')
        .replace(/; not connected.*/, ''),
    );
}

describe('the waiting line', () => {
  const stores = liveStores();

  it('tells the same story on every store, and ends with the late write refused', { timeout: 60_000 }, async () => {
    const [inMemory, ...live] = await Promise.all(['memory:story', ...stores].map(told));
    expect(inMemory).toMatch(/Eve writes to the ledger with token \d+: accepted/);
    expect(inMemory).toMatch(/Cleo writes to the ledger with token \d+: REFUSED/);
    expect(inMemory?.match(/1 notification:/g)).toHaveLength(5);
    for (const story of live) expect(outline(story)).toEqual(outline(inMemory ?? ''));
  });

  it('says within its limit that a store cannot be reached', async () => {
    const lines: string[] = [];
    const telling = tellWaitingLine('etcd://127.0.0.1:1', (line) => lines.push(line), 500);
    await expect(telling).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(lines).toEqual([]);
  });
});
