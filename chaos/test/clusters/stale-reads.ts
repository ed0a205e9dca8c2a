import type { StoreCluster } from '@concordat/conformance/servers';
import type { Coordinator } from 'concordat';
import { describe, expect, it } from 'vitest';
import { coordinatorAt } from './holders.js';

const inFlight = 20;
const goOnMs = 1_500;

/** Writes until the store says that it is written, which an election may prevent for a while. */
async function write(coordinator: Coordinator, value: number): Promise<void> {
  const written = async (): Promise<boolean> => {
    await coordinator.config('x').set(value, { timeoutMs: 4_000 });
    return true;
  };
  await expect.poll(() => written().catch(() => false), { timeout: 30_000 }).toBe(true);
}

/** What one linearizable read answered; `null` when it was refused or not answered. */
async function read(coordinator: Coordinator): Promise<unknown> {
  return (
    (
      await coordinator
        .config('x')
        .get()
        .catch(() => null)
    )?.value ?? null
  );
}

/** The tests of what a leader that slept through an election answers. */
export function staleReads(scheme: string, start: () => Promise<StoreCluster>): void {
  describe(`${scheme}: the leader is frozen, another elected and written to, the old one thawed`, () => {
    it('no linearizable read answers the old value', { timeout: 90_000 }, async () => {
      const cluster: StoreCluster = await start();
      const options = { scheme, namespace: 'stale', sessionTimeoutMs: 30_000 };
      const leader = await cluster.leader();
      const reader = coordinatorAt(await cluster.route(), [leader], options);
      const writer = coordinatorAt(await cluster.route(), await cluster.followers(), options);
      try {
        await write(writer, 1);
        expect(await read(reader)).toBe(1);
        await leader.freeze();
        await cluster.leader({ except: leader });
        await write(writer, 2);
        const answers = Array.from({ length: inFlight }, () => read(reader));
        leader.thaw();
        const end = performance.now() + goOnMs;
        while (performance.now() < end) answers.push(read(reader), Promise.resolve(await read(reader)));
        const answered = (await Promise.all(answers)).filter((value) => value !== null);
        expect(new Set(answered)).toEqual(new Set([2]));
        await leader.serves();
        await expect.poll(() => read(reader)).toBe(2);
      } finally {
        await Promise.all([reader.close(), writer.close()]);
        await cluster.stop();
      }
    });
  });
}
