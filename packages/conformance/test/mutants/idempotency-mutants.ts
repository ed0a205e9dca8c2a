import { CoordinationError, type Idempotency } from '@concordat/core';
import type { Backend, PutOptions, Register } from '@concordat/core/spi';
import { eventually } from '../../src/eventually.js';
import { brokenBackend, brokenCoordinator, type Mutant, replaced } from './mutant.js';

type Put = Backend['put'];

const isRecord = /^once\/[^/]+\/[0-9a-f]{2}\//;

/** Gates, and what they write, broken in what matters. */
export const idempotencyMutants: readonly Mutant[] = [
  brokenGate('a gate that knows only its own results', ['ONCE-01', 'ONCE-02'], () => {
    const results = new Map<string, Promise<unknown>>();
    return {
      run: (key, work) => {
        const result = results.get(key) ?? Promise.resolve(work(undefined as never));
        results.set(key, result);
        return result;
      },
    };
  }),
  brokenGate('a gate that takes an interruption for consent', ['ONCE-20', 'ONCE-24', 'ONCE-40'], (gate) => ({
    run: (key, work, options) => gate.run(key, work, { ...options, onInterrupted: 'rerun' }),
  })),
  brokenGate('a gate that never runs again', ['ONCE-21', 'ONCE-22'], (gate) => ({
    run: (key, work, options) => gate.run(key, work, { ...options, onInterrupted: 'reject' }),
  })),
  brokenGate('a gate that hides what became of a result', ['ONCE-22'], (gate) => ({
    run: async (key, work, options) => {
      let result: unknown;
      let ran = false;
      const noted = async (...given: Parameters<typeof work>): Promise<unknown> => {
        result = await work(...given);
        ran = true;
        return result;
      };
      return gate.run(key, noted, options).catch((reason: unknown) => {
        if (ran) return result;
        throw reason;
      });
    },
  })),
  brokenGate('a gate whose limits end the work', ['ONCE-09'], (gate) => ({
    run: (key, work, options) =>
      new Promise((resolve, reject) => {
        options?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
        gate.run(key, work, options).then(resolve, reject);
      }),
  })),
  brokenGate('a gate that sweeps nothing and says so', ['ONCE-51', 'ONCE-54'], () => ({
    sweep: () => Promise.resolve(0),
  })),
  brokenGate('a gate whose sweep of silence is an empty one', ['ONCE-56'], (gate) => ({
    sweep: (options) => gate.sweep(options).catch(() => 0),
  })),
  brokenRecords('an intent that is not written', ['ONCE-20', 'ONCE-24'], (put) => (key, value, _, call) => {
    if (stateIn(value) !== 'intent') return put(key, value, { expect: 'any' }, call);
    return Promise.resolve({ stored: true, register: registerOf(value) });
  }),
  brokenRecords(
    'a result that is written over whatever is there',
    ['ONCE-22'],
    (put) => (key, value, options, call) =>
      put(key, value, stateIn(value) === 'result' ? { expect: 'any' } : options, call),
  ),
  brokenRecords(
    'an intent that is written over whatever is there',
    ['ONCE-27'],
    (put) => (key, value, options, call) =>
      put(key, value, stateIn(value) === 'intent' ? { expect: 'any' } : options, call),
  ),
  brokenRecords('an intent that nobody withdraws', ['ONCE-05', 'ONCE-33'], (put) => (key, value, options, call) => {
    if (stateIn(value) !== 'withdrawn') return put(key, value, options, call);
    return Promise.reject(new CoordinationError('BACKEND', 'it does not want to'));
  }),
  brokenRecords('a lost reply that is taken for a refusal', ['ONCE-30', 'ONCE-32'], (put) => async (...given) => {
    try {
      return await put(...given);
    } catch {
      return { stored: false, current: registerOf(new TextEncoder().encode(foreign)) };
    }
  }),
  brokenBackend('records that are out of their time at once', ['ONCE-51'], (backend) => ({
    get: async (...given) => {
      const register = await backend.get(...given);
      if (register === null || !isRecord.test(given[0])) return register;
      const value = new TextDecoder().decode(register.value).replace(/"expiresAt":\d+/, '"expiresAt":0');
      return { ...register, value: new TextEncoder().encode(value) };
    },
  })),
  brokenBackend('a sweep that looks at nothing when it deletes', ['ONCE-54'], (backend) => ({
    // Looks for the moment in which somebody has run it meanwhile, as the condition would.
    delete: async (key, { expect: version }, call) => {
      await eventually(async () => {
        const found = await backend.get(key, 'linearizable', call);
        if (found?.version === version) throw new Error('nobody has run it');
      }, 500).catch(() => undefined);
      await backend.delete(key, {}, call);
      return { deleted: true };
    },
  })),
];

const foreign = `${JSON.stringify({ state: 'intent', token: '1' })}\n`;

function brokenGate(
  name: string,
  fails: readonly string[],
  change: (gate: Idempotency<unknown>) => Partial<Idempotency<unknown>>,
): Mutant {
  return brokenCoordinator(name, fails, (coordinator) => {
    const gates = new Map<string, Idempotency<unknown>>();
    const idempotency = (of: string, ...codec: []): Idempotency<unknown> => {
      const gate = coordinator.idempotency(of, ...codec);
      const broken = gates.get(of) ?? replaced(gate, change(gate));
      gates.set(of, broken);
      return broken;
    };
    return { idempotency: idempotency };
  });
}

function brokenRecords(name: string, fails: readonly string[], change: (put: Put) => Put): Mutant {
  return brokenBackend(name, fails, (backend) => {
    const put: Put = (key, value, options: PutOptions, call) => backend.put(key, value, options, call);
    const changed = change(put);
    return { put: (...given) => (isRecord.test(given[0]) ? changed(...given) : put(...given)) };
  });
}

function stateIn(value: Uint8Array): string | undefined {
  return /"state":"(\w+)"/.exec(new TextDecoder().decode(value))?.[1];
}

function registerOf(value: Uint8Array): Register {
  return { value, version: 1n, created: 1n, owner: null };
}
