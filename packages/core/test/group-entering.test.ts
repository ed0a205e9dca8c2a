import { NEVER, type Observable, Subject } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../src/context.js';
import { EventLog } from '../src/event-log.js';
import type { CoordinationEvent } from '../src/events.js';
import { Leaving } from '../src/lines/leaving.js';
import { OwnSessions } from '../src/own-sessions.js';
import { enterGroup, type Joined } from '../src/recipes/group/entering.js';
import { Requests } from '../src/requests.js';
import { type Backend, CoordinationError, Session } from '../src/spi/index.js';
import { Wait } from '../src/wait.js';
import { ManualClock } from './manual-clock.js';

const sessionMs = 12_000;
const candidate = { primitive: 'group', name: 'g', dir: 'group/g', kind: 'member:a', id: 'a' } as const;

let clock: ManualClock;
let session: Session;
let context: Context;
/** Owners of the entries ahead, oldest first: of a name without one nothing is left. */
let ahead: Map<string, string | null>;
/** Where the creation of an entry stands, as a line told of it; of a name without one it did not. */
let told: Map<string, bigint>;
let departures: Map<string, Subject<'gone'>>;
let left: string[];

function backendOf(): Backend {
  const parts: Partial<Backend> = {
    enter: async (dir, kind, _data, _rule, { epoch }) => ({
      entry: { dir, name: 'mine', kind, epoch, created: 9n, seen: null },
      ahead: [...ahead.keys()].map((name) => ({ dir, name, kind, created: told.get(name) ?? null, seen: null })),
    }),
    get: async (key) => {
      const owner = ahead.get(key.slice('group/g/'.length)) ?? null;
      return owner === null ? null : { value: new Uint8Array(1), version: 1n, created: 1n, owner };
    },
    gone: ({ name }): Observable<'gone'> => departures.get(name) ?? NEVER,
    leave: async ({ name }) => void left.push(name),
  };
  return parts as Backend;
}

beforeEach(() => {
  clock = new ManualClock();
  session = new Session({ clock });
  ahead = new Map();
  told = new Map();
  departures = new Map();
  left = [];
  const backend = backendOf();
  const requests = new Requests(session, clock, 4_000, () => backend);
  const events = new EventLog(session);
  const parts: Omit<Context, 'layout' | 'watches'> & { readonly layout: unknown } = {
    session,
    ownSessions: new OwnSessions(session),
    clock,
    requests,
    events,
    layout: { tokenBase: async () => 0n },
    leaving: new Leaving(requests, events),
  };
  context = parts as Context;
  session.opened('earlier', sessionMs, clock.now(), 0);
  session.lose(1, new CoordinationError('SESSION_LOST', 'on purpose'));
  session.reopen();
  session.opened('now', sessionMs, clock.now(), 0);
});

function enter(patient: boolean): Promise<Joined> {
  const wait = new Wait({}, session, clock, () => 'it did not enter');
  return enterGroup(context, candidate, wait, { data: () => new Uint8Array(1), patient });
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe.each([false, true])('entering a group, patient: %s', (patient) => {
  it('GROUP-35 passes by what an earlier session of this coordinator left', async () => {
    ahead.set('old', 'earlier');
    expect((await enter(patient)).entry.name).toBe('mine');
    expect(left).toEqual([]);
  });

  it('passes by what has gone, and what lives with no session', async () => {
    ahead.set('gone', null);
    expect((await enter(patient)).entry.name).toBe('mine');
  });

  it('passes by one who has gone and whose name is that of somebody behind', async () => {
    ahead.set('other', 'another');
    told.set('other', 0n);
    expect((await enter(patient)).entry.name).toBe('mine');
  });

  it('waits for what this session itself gave up, however long that takes', async () => {
    ahead.set('given up', 'now');
    departures.set('given up', new Subject());
    const entering = enter(patient);
    let entered = false;
    void entering.then(() => (entered = true));
    await settled();
    clock.pass(5_000);
    await settled();
    expect(entered).toBe(false);
    departures.get('given up')?.next('gone');
    expect((await entering).entry.name).toBe('mine');
  });

  it('finds somebody else behind what is not in the way', async () => {
    ahead.set('old', 'earlier').set('other', 'another').set('older', 'earlier');
    const entering = expect(enter(patient)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await settled();
    // As long as a session may last; heartbeats go on meanwhile.
    for (let passed = 0; passed < sessionMs; passed += 1_000) {
      session.confirmed(session.epoch, clock.now());
      clock.pass(1_000);
    }
    await entering;
    await settled();
    expect(left).toEqual(['mine']);
  });
});

it('refuses at once when it came for the first time', async () => {
  ahead.set('other', 'another');
  await expect(enter(false)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
});

it('GROUP-40 outlasts, when it comes back, somebody who goes', async () => {
  ahead.set('other', 'another').set('next', 'third');
  departures.set('other', new Subject()).set('next', new Subject());
  const entering = enter(true);
  await settled();
  clock.pass(3_000);
  departures.get('other')?.next('gone');
  await settled();
  departures.get('next')?.next('gone');
  expect((await entering).entry.name).toBe('mine');
  expect(left).toEqual([]);
});

it('EVENT-10 tells with a lost place which entry stood for it', async () => {
  const told: CoordinationEvent[] = [];
  context.events.events$.subscribe((event) => told.push(event));
  ahead.set('old', 'earlier').set('other', 'another');
  departures.set('other', new Subject());
  const entering = enter(true);
  await settled();
  session.lose(session.epoch, new CoordinationError('SESSION_LOST', 'on purpose'));
  ahead.clear();
  await settled();
  expect(told.filter(({ type }) => type === 'requeued')).toMatchObject([
    { entry: 'mine', reason: { code: 'SESSION_LOST' } },
  ]);
  session.reopen();
  session.opened('next', sessionMs, clock.now(), 0);
  await entering;
});
