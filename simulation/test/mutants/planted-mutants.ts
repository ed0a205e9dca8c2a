import type { Mutant } from './mutant.js';

const known = 'planted';
const session = 'core/src/spi/session.ts';
const participation = 'core/src/recipes/double-barrier/participation.ts';

/** Bugs that nobody made: each is there for a check that no real bug sets off. */
export const plantedMutants: readonly Mutant[] = [
  {
    name: 'a gate that accepts whatever comes',
    known,
    seed: 4,
    patches: [
      {
        file: 'core/src/fencing.ts',
        find: '    if (highest !== undefined && token < highest) return false;\n',
        replace: '',
      },
    ],
  },
  {
    name: 'a gate that accepts no second write',
    known,
    seed: 1,
    patches: [{ file: 'core/src/fencing.ts', find: 'token < highest', replace: 'token <= highest' }],
  },
  {
    name: 'a wait that outlives its limit',
    known,
    seed: 1,
    patches: [
      { file: 'core/src/wait.ts', find: '    if (options.timeoutMs !== undefined) this.#armLimit();\n', replace: '' },
    ],
  },
  {
    name: 'a place that is granted although its entry is gone',
    known: 'DESIGN.md §3 (the prototype), catalogue c15',
    seed: 67,
    patches: [
      { file: 'core/src/lines/turn.ts', find: 'if (ahead === null) {', replace: 'if (ahead === null && epoch < 0) {' },
      {
        file: 'core/src/lines/turn.ts',
        find: 'const ahead = await askInLine(',
        replace: 'const found = await askInLine(',
      },
      {
        file: 'core/src/lines/turn.ts',
        find: 'if (ahead === null && epoch < 0) {',
        replace: 'const ahead = found ?? [];\n      if (found === null && epoch < 0) {',
      },
    ],
  },
  {
    name: 'a grant that believes whatever happens',
    known,
    seed: 5,
    patches: [
      {
        file: 'core/src/lines/grant.ts',
        find: 'if (reason !== null) throw reason;',
        replace: 'if (reason === this.#entry) throw reason;',
      },
    ],
  },
  {
    name: 'a linearizable read that answers what was read before',
    known,
    seed: 2,
    patches: [
      {
        file: 'driver-memory/src/registers.ts',
        find: "    const stored = await this.#requests.ask('get', { key: this.#keys.of(key) }, call);\n",
        replace:
          "    const stored = this.#read.get(key) ?? (await this.#requests.ask('get', { key: this.#keys.of(key) }, call));\n    this.#read.set(key, stored);\n",
      },
      {
        file: 'driver-memory/src/registers.ts',
        find: '  readonly #requests: Requests;\n',
        replace: '  readonly #requests: Requests;\n  readonly #read = new Map<Key, Stored | null>();\n',
      },
    ],
  },
  {
    name: 'a next session that is counted as the one before',
    known,
    seed: 4,
    patches: [{ file: session, find: 'epoch: this.epoch + 1, id: null', replace: 'epoch: this.epoch, id: null' }],
  },
  {
    name: 'a leader that is not told its loss',
    known: 'catalogue c13',
    seed: 4,
    patches: [
      {
        file: 'core/src/recipes/election.ts',
        find: "              subscriber.next({ state: 'lost', reason });\n",
        replace: '',
      },
    ],
  },
  {
    name: 'a stream that ends with the connection',
    known: 'catalogue c74',
    seed: 1,
    patches: [
      {
        file: 'core/src/seen.ts',
        find: 'if (shown !== null) show(shown.value);',
        replace:
          "if (session.state.state === 'suspended') subscriber.complete();\n        if (shown !== null) show(shown.value);",
      },
    ],
  },
  {
    name: 'a heartbeat that goes on after the close',
    known,
    seed: 1,
    patches: [
      {
        file: 'driver-memory/src/heartbeat.ts',
        find: '    this.#next?.cancel();\n  }\n\n  /** Sends one heartbeat. */',
        replace: '  }\n\n  /** Sends one heartbeat. */',
      },
    ],
  },
  {
    name: 'a loss that is told twice',
    known,
    seed: 19,
    patches: [
      {
        file: 'core/src/lines/grant.ts',
        find: 'log: () => this.#log(),',
        replace: 'log: () => [1, 2].forEach(() => this.#log()),',
      },
    ],
  },
  {
    name: 'a round that opens before everybody is there',
    known,
    seed: 2,
    patches: [
      {
        file: participation,
        find: 'members.length >= this.#parties ?',
        replace: 'members.length + 1 >= this.#parties ?',
      },
    ],
  },
  {
    name: 'a participant that leaves and does not wait for the others',
    known: 'catalogue c54',
    seed: 5,
    patches: [
      {
        file: participation,
        find: 'return seen.state.round === this.#counted ? this.#outlast(wait, seen) : { done: undefined };',
        replace: 'return seen.state.round < 0 ? this.#outlast(wait, seen) : { done: undefined };',
      },
    ],
  },
  {
    name: 'a barrier that lets everybody pass',
    known,
    seed: 13,
    patches: [
      {
        file: 'core/src/recipes/barrier.ts',
        find: 'if (!closed || (awaited !== null && round > awaited)) return done;',
        replace: 'if (!closed || round >= 0) return done;',
      },
    ],
  },
  {
    name: 'a write that was sent and is told as not written',
    known: 'catalogue c5',
    seed: 28,
    patches: [
      {
        file: 'core/src/requests.ts',
        find: 'this.#timeoutError(changes && call.sent)',
        replace: 'this.#timeoutError(false)',
      },
    ],
  },
  {
    name: 'a write that is acknowledged whatever became of it',
    known,
    seed: 28,
    patches: [
      {
        file: 'core/src/values/stored-value.ts',
        find: 'if (put.stored) return put.register.version;',
        replace: 'return put.stored ? put.register.version : 0n;',
      },
    ],
  },
  {
    name: 'a pause on a timer of the machine',
    known,
    seed: 4,
    patches: [
      {
        file: 'core/src/pause.ts',
        find: 'const timer = clock.setTimer(resolve, ms);',
        replace: 'const timer = { cancel: () => undefined };\n    setTimeout(resolve, ms);',
      },
    ],
  },
  {
    name: 'a pause that no seed decides',
    known,
    seed: 14,
    patches: [
      {
        file: 'core/src/values/stored-value.ts',
        find: 'Math.random() * backoff.nextMs',
        replace: '(process.hrtime()[1] % 1_000) * backoff.nextMs / 1_000',
      },
    ],
  },
];
