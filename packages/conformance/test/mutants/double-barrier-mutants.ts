import type { DoubleBarrier } from '@concordat/core';
import { CoordinationError } from '@concordat/core';
import type { Register } from '@concordat/core/spi';
import { brokenBackend, brokenCoordinator, type Mutant, replaced } from './mutant.js';

interface State {
  readonly round: number;
  readonly parties: number;
  readonly phase: string;
  readonly members: readonly { readonly id: string; readonly session: string }[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Double barriers that are wrong, and backends on which they would be. */
export const doubleBarrierMutants: readonly Mutant[] = [
  brokenBackend('a double barrier that takes the dead for alive', ['DOUB-10', 'DOUB-12', 'DOUB-13'], (backend) => ({
    get: async (key, consistency, call) => {
      const found = await backend.get(key, consistency, call);
      const undead: Register = { value: encoder.encode('1'), version: 1n, created: 1n, owner: null };
      return found === null && key.startsWith('session/') ? undead : found;
    },
  })),
  brokenWrites('a double barrier that counts one for each session', ['DOUB-08'], (state) => {
    const sessions = new Set(state.members.map(({ session }) => session));
    return sessions.size < state.members.length ? { ...state, phase: 'gathering' } : state;
  }),
  brokenWrites('a double barrier that opens with one too few', ['DOUB-01', 'DOUB-03'], (state) =>
    state.members.length === state.parties - 1 ? { ...state, phase: 'inside' } : state,
  ),
  brokenWrites('a double barrier whose round is over when the first one leaves', ['DOUB-02', 'DOUB-04'], (state) =>
    state.phase === 'inside' && state.members.length < state.parties
      ? { ...state, round: state.round + 1, phase: 'gathering', members: [] }
      : state,
  ),
  brokenParticipant(
    'a double barrier that leaves who gave up among the others',
    ['DOUB-11', 'DOUB-20', 'DOUB-25'],
    (own) => ({
      enter: (options = {}) => givenUp(own.enter(), options),
    }),
  ),
  brokenParticipant('a leave that says early that all have left', ['DOUB-02', 'DOUB-24'], (own) => ({
    leave: async (options) => {
      void own.leave(options).catch(() => undefined);
    },
  })),
  brokenParticipant('a leave without a limit', ['DOUB-21', 'DOUB-24'], (own) => ({
    leave: () => own.leave(),
  })),
  brokenParticipant('a leave that never tells of a loss', ['DOUB-12', 'DOUB-15'], (own) => ({
    leave: (options) =>
      own.leave(options).catch((reason: unknown) => {
        if (!CoordinationError.is(reason, 'GRANT_LOST')) throw reason;
      }),
  })),
  brokenBackend('an entering that tries again without looking', ['DOUB-22'], (backend, { session }) => ({
    put: async (key, value, options, call) => {
      try {
        return await backend.put(key, value, options, call);
      } catch (reason) {
        if (!isDouble(key) || !CoordinationError.is(reason, 'OUTCOME_UNKNOWN')) throw reason;
        await session.connected();
        const current = await backend.get(key, 'linearizable', call);
        if (current === null) throw reason;
        const { members, ...state } = stateOf(current.value);
        const twice = { ...state, members: [...members, ...stateOf(value).members] };
        return backend.put(key, encoder.encode(JSON.stringify(twice)), { expect: 'any' }, call);
      }
    },
  })),
];

function isDouble(key: string): boolean {
  return key.startsWith('double/');
}

function stateOf(value: Uint8Array): State {
  return JSON.parse(decoder.decode(value)) as State;
}

function brokenWrites(name: string, fails: readonly string[], change: (state: State) => State): Mutant {
  return brokenBackend(name, fails, (backend) => ({
    put: (key, value, options, call) => {
      const written = isDouble(key) ? encoder.encode(JSON.stringify(change(stateOf(value)))) : value;
      return backend.put(key, written, options, call);
    },
  }));
}

function brokenParticipant(
  name: string,
  fails: readonly string[],
  change: (participant: DoubleBarrier) => Partial<DoubleBarrier>,
): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    return {
      doubleBarrier: (of, parties) => {
        const participant = coordinator.doubleBarrier(of, parties);
        return replaced(participant, change(participant));
      },
    };
  });
}

/** Ends for its caller, and for nobody else. */
function givenUp(
  entering: Promise<void>,
  { signal, timeoutMs }: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    entering.then(resolve, reject);
    signal?.addEventListener('abort', () => reject(signal.reason));
    if (timeoutMs !== undefined)
      setTimeout(() => reject(new CoordinationError('TIMEOUT', '1 of 3')), timeoutMs).unref();
  });
}
