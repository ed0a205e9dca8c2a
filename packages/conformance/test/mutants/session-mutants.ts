import { brokenBackend, brokenReports, type Mutant } from './mutant.js';

/** Drivers whose sessions are wrong. */
export const sessionMutants: readonly Mutant[] = [
  brokenReports('heartbeats that the store never confirmed', ['SESS-03', 'LOSS-04'], (session, { clock }) => {
    const confirm = (): void => {
      session.confirmed(session.epoch, clock.now());
      if (!session.closed) clock.setTimer(confirm, 100);
    };
    clock.setTimer(confirm, 100);
    return {};
  }),
  brokenReports('heartbeats that count from their reply, and later', ['SESS-04'], (session, { clock }) => ({
    confirmed: (epoch) => session.confirmed(epoch, clock.now() + 500),
  })),
  brokenReports('heartbeats that do not count', ['SESS-02', 'SESS-04', 'LOCK-15'], () => ({
    confirmed: () => undefined,
  })),
  brokenReports('a deadline that is too late', ['SESS-01', 'SESS-03', 'LOSS-04'], (session) => ({
    opened: (id, timeoutMs, sentAt, lagMs) => session.opened(id, timeoutMs + 2_500, sentAt, lagMs),
  })),
  brokenReports('a store whose word is not passed on', ['SESS-05', 'LOSS-01'], () => ({
    lose: () => undefined,
  })),
  brokenReports('a store that goes back, and is believed', ['SESS-12', 'SESS-16'], () => ({
    saw: () => undefined,
  })),
  brokenBackend('a token base that nobody reads', ['SESS-15'], (backend) => ({
    get: async (key, consistency, call) => {
      const found = await backend.get(key, consistency, call);
      return key !== 'format' || found === null
        ? found
        : { ...found, value: Buffer.from('{"layout":1,"tokenBase":"0"}') };
    },
  })),
  brokenReports('a session without an id', ['SESS-01', 'SESS-06'], (session) => ({
    opened: (_id, timeoutMs, sentAt, lagMs) => session.opened('', timeoutMs, sentAt, lagMs),
  })),
  brokenBackend('a confirmation without a heartbeat', ['SESS-08'], () => ({
    confirm: () => Promise.resolve(),
  })),
  brokenBackend('a confirmation by what was answered before', ['SESS-08'], (backend) => {
    let confirmed: Promise<void> | null = null;
    return { confirm: (call) => (confirmed ??= backend.confirm(call)) };
  }),
  brokenBackend('traffic that counts nothing', ['SESS-10', 'WATCH-09'], () => ({
    traffic: { requests: 0, heartbeats: 0, notifications: 0 },
  })),
  brokenBackend('a close that leaves the session', ['CLOSE-01', 'SESS-06'], () => ({
    close: () => Promise.resolve(),
  })),
];
