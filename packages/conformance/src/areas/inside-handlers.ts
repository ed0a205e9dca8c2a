import { expect } from 'vitest';
import { eventually, type Outcome, outcome } from '../eventually.js';
import { area } from '../scenario.js';

const told = [
  'session lost',
  'session connecting',
  'event acquired',
  'event session-lost',
  'abort',
  'value',
  'members',
  'away',
];

/** Calls made by whoever is being told of something: docs/spec/lock.md. */
export const insideHandlers = area('inside handlers', (scenario) => {
  // kazoo#208 and #381: an election or a lock used in a watch or a listener stopped everything; kazoo#355: a member that joined again in one.
  scenario('LOCK-36', 'is granted to whoever asks for it while being told of something', async (fixture) => {
    const client = await fixture.client();
    const { coordinator } = client;
    const asked = new Map<string, Promise<Outcome<unknown>>>();
    const ask = (from: string): void => {
      if (asked.has(from)) return;
      const work = (): string => from;
      asked.set(from, outcome<unknown>(coordinator.lock(`from ${from}`).with(work, { timeoutMs: 20_000 })));
    };
    const grant = await coordinator.lock('a').acquire();
    const group = coordinator.group('g');
    const membership = await group.join('a', 1);
    grant.signal.addEventListener('abort', () => ask('abort'));
    membership.state$.subscribe(({ state }) => ask(state));
    coordinator.session$.subscribe(({ state }) => ask(`session ${state}`));
    coordinator.events$.subscribe(({ type }) => ask(`event ${type}`));
    coordinator.config('a').value$.subscribe(() => ask('value'));
    let joined: Promise<Outcome<unknown>> | undefined;
    group.members$.subscribe(() => {
      ask('members');
      joined ??= outcome<unknown>(group.join('joined within', 1, { timeoutMs: 20_000 }));
    });
    await fixture.expire(client);
    await eventually(() => expect([...asked.keys()]).toEqual(expect.arrayContaining(told)));
    for (const from of told) expect(await asked.get(from)).toMatchObject({ rejected: false, value: from });
    expect(await joined).toMatchObject({ rejected: false });
  });
});
