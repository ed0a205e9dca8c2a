import type { Child, Register } from '@concordat/core/spi';
import { expect } from 'vitest';
import { eventually, throughout } from '../eventually.js';
import { requireInOrder } from '../history.js';
import { twoStores } from '../lines.js';
import type { Recorder } from '../recorder.js';
import { area } from '../scenario.js';
import { type StoreClient, textOf } from '../store-client.js';

const flaps = 46;
const expiries = 4;

/** What watches show beside a writer, against everything that was ever true: docs/spec/watches.md. */
export const watchHistories = area('watch histories', (scenario) => {
  // npm etcd3 lost 2,501 of 3,501 events over a cut; kazoo#151 and #298 lost watches on a reconnection.
  scenario(
    'WATCH-27',
    'shows what was true, in order, and the last of it, over 46 cuts beside a writer',
    async (fixture) => {
      const [watcher, writer] = await twoStores(fixture);
      const history = new History(writer);
      const seen = await history.watchedBy(watcher);
      let cuts = 0;
      await history.writeUntil(async () => {
        for (; cuts < flaps; cuts++) {
          watcher.link.flap();
          await eventually(() => watcher.confirm());
          const { length } = seen[0].values;
          if (cuts % 9 === 0) await eventually(() => expect(seen[0].values.length).toBeGreaterThan(length));
        }
      });
      await history.judge(seen);
      expect(watcher.session.epoch).toBe(1);
    },
  );

  // ClickHouse#2947, apache/curator PR#401: a watch that died with its session, or came back with what it had missed left out.
  scenario('WATCH-28', 'does so over new sessions', async (fixture) => {
    const [watcher, writer] = await twoStores(fixture);
    const history = new History(writer);
    const seen = await history.watchedBy(watcher);
    await history.writeUntil(async () => {
      for (let epoch = 2; epoch <= expiries + 1; epoch++) {
        await fixture.world.operator.expireSession(watcher.id);
        await eventually(() => expect(watcher.session.state).toMatchObject({ state: 'connected', epoch }));
      }
    });
    await history.judge(seen);
  });
});

type Watched = readonly [Recorder<Register | null>, Recorder<readonly Child[]>];

/** One writer's value and directory, and everything that they ever were. */
class History {
  readonly #writer: StoreClient;
  readonly #values = ['absent'];
  readonly #lists = [''];
  readonly #names: string[] = [];

  constructor(writer: StoreClient) {
    this.#writer = writer;
  }

  /** Resolves when both are shown for the first time. */
  async watchedBy(watcher: StoreClient): Promise<Watched> {
    const watched = [watcher.watch('config/a'), watcher.watchChildren('group/g', true)] as const;
    await Promise.all(watched.map(({ values }) => eventually(() => expect(values).toHaveLength(1))));
    return watched;
  }

  /** Writes, deletes and makes again for as long as `meanwhile` takes. */
  async writeUntil(meanwhile: () => Promise<void>): Promise<void> {
    const over = new AbortController();
    const ended = meanwhile().finally(() => over.abort());
    for (let round = 0; !over.signal.aborted; round++) {
      await this.#step(round);
      await throughout(1, () => undefined);
    }
    await ended;
  }

  /** Waits until the last state is shown, and judges everything that was shown before. */
  async judge([values, lists]: Watched): Promise<void> {
    await values.settles((register) => shownValue(register) === this.#values.at(-1));
    await lists.settles((children) => shownList(children) === this.#lists.at(-1));
    requireInOrder(values.values.map(shownValue), this.#values);
    requireInOrder(lists.values.map(shownList), this.#lists);
  }

  async #step(round: number): Promise<void> {
    if (round % 5 === 4) {
      await this.#writer.delete('config/a');
      this.#values.push('absent');
    } else this.#values.push(shownValue(await this.#writer.store('config/a', String(round))));
    const name = `member-${String(round).padStart(6, '0')}`;
    await this.#writer.store(`group/g/${name}`, 'x', { expect: 'absent', ephemeral: true });
    this.#names.push(name);
    this.#lists.push(this.#names.join());
    if (this.#names.length < 3) return;
    // Not the oldest one always.
    const [left] = this.#names.splice(round % 3, 1);
    await this.#writer.delete(`group/g/${left ?? ''}`, { owner: this.#writer.id });
    this.#lists.push(this.#names.join());
  }
}

function shownValue(register: Register | null): string {
  return register === null ? 'absent' : `${String(register.version)}=${String(textOf(register))}`;
}

function shownList(children: readonly Child[]): string {
  return children.map(({ name }) => name).join();
}
