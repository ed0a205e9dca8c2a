import type { Mutant } from './mutant.js';

const entries = 'driver-memory/src/entries.ts';
const heartbeat = 'driver-memory/src/heartbeat.ts';
const keeper = 'driver-memory/src/session-keeper.ts';
const requests = 'core/src/requests.ts';

/** Bugs of sessions, requests and replies that were lost. */
export const sessionMutants: readonly Mutant[] = [
  {
    name: 'a deadline that counts from the reply',
    known: 'catalogue c10 (curator#980)',
    seed: 32,
    patches: [
      {
        file: heartbeat,
        find: 'session.confirmed(epoch, sentAt)',
        replace: 'session.confirmed(epoch, this.#clock.now())',
      },
      {
        file: keeper,
        find: 'session.opened(answer.session, answer.timeoutMs, sentAt, 0)',
        replace: 'session.opened(answer.session, answer.timeoutMs, clock.now(), 0)',
      },
    ],
  },
  {
    name: 'a deadline without a margin',
    known: 'catalogue c10',
    seed: 6,
    patches: [{ file: 'core/src/spi/deadline.ts', find: 'Math.max(250, timeoutMs / 20)', replace: '0' }],
  },
  {
    name: 'a heartbeat that counts whatever the store answers',
    known: 'catalogue c17',
    seed: 13,
    patches: [
      {
        file: heartbeat,
        find: 'if (answer.alive) session.confirmed(',
        replace: 'if (answer.alive || !answer.alive) session.confirmed(',
      },
    ],
  },
  {
    name: 'an old session that the store is not told to end',
    known: 'DESIGN.md §3, catalogue c20',
    seed: 10,
    patches: [{ file: keeper, find: 'if (this.#id !== null) this.#leftovers.add(this.#id);', replace: '' }],
  },
  {
    name: 'a read that fails with the connection instead of at its limit',
    known: 'd5e03ea',
    seed: 10,
    patches: [
      {
        file: requests,
        find: "if (CoordinationError.is(error, 'UNAVAILABLE')) takeBack = this.#later(ask);",
        replace: "if (CoordinationError.is(error, 'UNAVAILABLE') && changes) takeBack = this.#later(ask);",
      },
    ],
  },
  {
    name: 'an entry that is made again while the first one may be there',
    known: 'catalogue c22 (go-zookeeper#229), c52',
    seed: 5,
    patches: [
      {
        file: entries,
        find: 'const settled = await this.#settle(attempt, epoch);',
        replace: 'const settled: Placed | null = null;',
      },
    ],
  },
  {
    name: 'a lost entry that is not voided, and is made when its request comes late',
    known: 'DESIGN.md §3 (4 of 20 on etcd)',
    seed: 254,
    patches: [
      {
        file: 'driver-memory/src/store/service.ts',
        find: '        keys.set(mark, new TextEncoder().encode(session), session);\n        return null;',
        replace: '        return null;',
      },
    ],
  },
  {
    name: 'a write that is sent again when no reply came',
    known: 'catalogue c5 (valkeyrie PR186)',
    seed: 28,
    patches: [
      {
        file: 'driver-memory/src/registers.ts',
        find: "    const { done, current } = await this.#requests.ask('put', request, call);",
        replace:
          "    const again = async (): Promise<Awaited<ReturnType<typeof ask>>> => (await this.#session.connected(), ask());\n    const ask = () => this.#requests.ask('put', request, call);\n    const { done, current } = await ask().catch(again);",
      },
    ],
  },
  {
    name: 'watches that are not opened again on a new connection',
    known: 'catalogue c65, c67, c71',
    seed: 1,
    patches: [
      {
        file: 'driver-memory/src/followers.ts',
        find: '    for (const [watch, { target }] of this.#active) this.#watch(watch, target);\n',
        replace: '',
      },
    ],
  },
  {
    name: 'watches that go on from now, without what was missed',
    known: 'catalogue c69, c70',
    seed: 5,
    patches: [
      {
        file: 'driver-memory/src/followers.ts',
        find: '    for (const [watch, { target }] of this.#active) this.#watch(watch, target);\n',
        replace:
          "    for (const [watch, { target }] of this.#active)\n      this.#transport.send('watch', { watch, target }, { answered: () => undefined, failed: () => undefined });\n",
      },
    ],
  },
];
