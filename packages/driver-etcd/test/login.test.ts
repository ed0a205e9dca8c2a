import { expect, it } from 'vitest';
import { Login } from '../src/login.js';
import { StatusError, status } from '../src/protocol.js';

const invalid = new StatusError(status.unauthenticated, 'etcdserver: invalid auth token');
const outdated = new StatusError(status.invalidArgument, 'etcdserver: revision of auth store is old');

class Store {
  fetched = 0;
  sent = 0;
  /** Which tokens it takes. */
  accepts = (_token: number): StatusError | null => null;
  fetch = (): Promise<number> => {
    this.fetched += 1;
    return Promise.resolve(this.fetched);
  };
  readonly login = new Login<number>(0, () => this.fetch());

  run(limitMs = 1_000): Promise<number> {
    return this.login.run(limitMs, () => {
      this.sent += 1;
      const refusal = this.accepts(this.login.token);
      return refusal === null ? Promise.resolve(this.login.token) : Promise.reject(refusal);
    });
  }
}

it('fetches one new token for all requests that an old one was refused for, and repeats them', async () => {
  const store = new Store();
  store.accepts = (token) => (token === 0 ? invalid : null);
  await expect(Promise.all([store.run(), store.run(), store.run()])).resolves.toEqual([1, 1, 1]);
  expect(store.fetched).toBe(1);
  expect(store.sent).toBe(6);
});

it('fetches no second token for a request that was refused for one that was replaced meanwhile', async () => {
  const store = new Store();
  let refuse: (reason: StatusError) => void = () => undefined;
  const late = new Promise<number>((_, reject) => (refuse = reject));
  const waiting = store.login.run(1_000, () => (store.login.token === 0 ? late : Promise.resolve(store.login.token)));
  store.accepts = (token) => (token === 0 ? invalid : null);
  await store.run();
  refuse(invalid);
  await expect(waiting).resolves.toBe(1);
  expect(store.fetched).toBe(1);
});

it('gives up on a new token that is refused', async () => {
  const store = new Store();
  store.accepts = () => invalid;
  await expect(store.run()).rejects.toBe(invalid);
  expect(store.fetched).toBe(1);
});

it('goes on while users and roles are being changed', async () => {
  const store = new Store();
  store.accepts = (token) => (token < 5 ? outdated : null);
  await expect(store.run()).resolves.toBe(5);
});

it('ends at the limit, and says that nothing was applied', async () => {
  const store = new Store();
  store.accepts = () => outdated;
  await expect(store.run(50)).rejects.toMatchObject({ code: status.deadlineExceeded, unsent: true });
});

it('says that nothing was applied when there is no new token to be had', async () => {
  const store = new Store();
  store.accepts = () => invalid;
  store.fetch = () => Promise.reject(new StatusError(status.unavailable, 'Connection dropped'));
  await expect(store.run()).rejects.toMatchObject({ code: status.unavailable, unsent: true });
});

it('takes no other failure for one of its token', async () => {
  const store = new Store();
  const denied = new StatusError(status.permissionDenied, 'etcdserver: permission denied');
  store.accepts = () => denied;
  await expect(store.run()).rejects.toBe(denied);
  expect(store).toMatchObject({ fetched: 0, sent: 1 });
});

it('fetches a token after a stream that ended for its own', async () => {
  const store = new Store();
  const { token } = store.login;
  store.login.ended(new StatusError(status.unavailable, 'Connection dropped'), token);
  store.login.ended(invalid, token);
  await expect.poll(() => store.login.token).toBe(1);
  store.login.ended(invalid, token);
  expect(store.fetched).toBe(1);
});
