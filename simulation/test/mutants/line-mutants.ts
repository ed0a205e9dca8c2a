import type { Mutant } from './mutant.js';

const turn = 'core/src/lines/turn.ts';
const permits = 'core/src/lines/permits.ts';
const grant = 'core/src/lines/grant.ts';
const losses = 'core/src/spi/loss-listeners.ts';

/** Bugs of lines: who is granted, who is told, and what is left behind. */
export const lineMutants: readonly Mutant[] = [
  {
    name: 'a lock that is granted without another look, once the one ahead has gone',
    known: 'DESIGN.md §3 (the prototype), catalogue c15',
    seed: 4,
    patches: [
      {
        file: turn,
        find: 'const ahead = await askInLine(',
        replace: 'const ahead = queue.permits === undefined ? [] : await askInLine(',
      },
    ],
  },
  {
    name: 'a loss that is told grant by grant',
    known: 'd5e03ea',
    seed: 22,
    patches: [
      {
        file: losses,
        find: "    run('flag');\n    run('abort');\n    run('end');\n",
        replace:
          "    for (const one of taken) for (const stage of ['flag', 'abort', 'end'] as const)\n      if (one.wanted) tell(one.listener[stage], reason);\n",
      },
    ],
  },
  {
    name: 'an entry that is given up at the first failure to remove it',
    known: 'catalogue c28',
    seed: 4,
    patches: [
      {
        file: 'core/src/lines/leaving.ts',
        find: '        await pause(session, this.requests.clock, backoff.nextMs);\n',
        replace: '        break;\n',
      },
    ],
  },
  {
    name: 'a place that comes after its caller has gone, and that nobody leaves',
    known: 'catalogue c50 (curator#835)',
    seed: 1,
    patches: [{ file: turn, find: '(late) => void leaving.leave(queue, late.entry)', replace: '() => undefined' }],
  },
  {
    name: 'a wait that ends and leaves its entry behind',
    known: 'catalogue c34, c45',
    seed: 4,
    patches: [
      {
        file: turn,
        find: '  } catch (reason) {\n    void context.leaving.leave(queue, entry);\n    throw reason;',
        replace: '  } catch (reason) {\n    throw reason;',
      },
    ],
  },
  {
    name: 'a grant that does not watch its own entry',
    known: '7e1a389, catalogue b19',
    seed: 11,
    patches: [
      {
        file: grant,
        find: 'this.#end === null ? new OwnWatch(context, entry, () => this.#gone()) : null',
        replace: 'null',
      },
    ],
  },
  {
    name: 'a loss that its events do not tell when its owner reacts in the same turn',
    known: 'c60f971',
    seed: 22,
    patches: [
      {
        file: grant,
        find: '    if (this.#end !== null) return;\n    this.#drop(',
        replace: '    if (this.#end !== null) return this.#stopListening();\n    this.#drop(',
      },
    ],
  },
  {
    name: 'a semaphore whose holders do not tell the next one that they are in',
    known: '51c4daa, ADR 8',
    seed: 64,
    patches: [
      {
        file: permits,
        find: 'if (permits > 1 && atCreation !== true)',
        replace: 'if (permits > 1 && atCreation === null)',
      },
    ],
  },
  {
    name: 'a semaphore whose first waiter watches the nearest holder only',
    known: 'ADR 8, catalogue c50',
    seed: 41,
    patches: [
      { file: permits, find: 'if (permits > 1 && ahead.length <= permits) {', replace: 'if (permits > 1001) {' },
    ],
  },
  {
    name: 'a waiting line that is shown with tokens of its own',
    known: 'b77baf4',
    seed: 18,
    patches: [
      {
        file: 'core/src/lines/waiting-line.ts',
        find: 'combineLatest([watches.children(dir, { data: true }), tokenBases(context)])',
        replace: 'combineLatest([watches.children(dir, { data: true }), tokenBases(context).pipe(startWith(0n))])',
      },
      {
        file: 'core/src/lines/waiting-line.ts',
        find: 'import { combineLatest, map,',
        replace: 'import { combineLatest, map, startWith,',
      },
    ],
  },
  {
    name: 'a campaign that is over and keeps its entry',
    known: 'catalogue c34 (etcd#21128)',
    seed: 4,
    patches: [
      { file: 'core/src/recipes/election/candidate.ts', find: '      void this.#grant?.release();\n', replace: '' },
    ],
  },
  {
    name: 'a close that is an error to a campaign aborted in the same turn',
    known: 'c60f971',
    seed: 55,
    patches: [
      {
        file: 'core/src/recipes/election.ts',
        find: 'const isCallers = signal?.aborted === true && signal.reason === reason;',
        replace: 'const isCallers = signal?.aborted === true;',
      },
    ],
  },
];
