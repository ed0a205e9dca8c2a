import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** `npm start -- …`, without the set-up that goes before it. */
function start(...args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

// The first one compiles.
const timeout = 120_000;

it('tells the story in memory when no store is given', { timeout }, async () => {
  const { code, output } = await start();
  expect(output).toMatch(/Cleo writes to the ledger with token \d+: REFUSED/);
  expect(code).toBe(0);
});

it('exits 69 within its limit when the store cannot be reached, without a stack or a password', {
  timeout,
}, async () => {
  const { code, output } = await start('etcd://me:s3cret@127.0.0.1:1');
  expect(output).toMatch(/^\n?\[TIMEOUT\] /);
  expect(output).not.toMatch(/\n\s+at |s3cret/);
  expect(code).toBe(69);
});

it('exits 64 for a URL that no backend knows', { timeout }, async () => {
  const { code, output } = await start('redis://127.0.0.1');
  expect(output).toContain('known are zookeeper, zookeepers, etcd, etcds, memory');
  expect(code).toBe(64);
});
