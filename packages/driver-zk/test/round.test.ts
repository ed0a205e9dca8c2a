import { describe, expect, it } from 'vitest';
import type { Address, AttemptFailure } from '../src/connection.js';
import { Round } from '../src/round.js';

const [one, two]: readonly [Address, Address] = [
  { name: 'one', host: '127.0.0.1', port: 1 },
  { name: 'two', host: '127.0.0.1', port: 2 },
];
const behind = { ok: false, failure: 'expired', detail: 'it lags behind' } as const;
const said = (failure: AttemptFailure) => ({ ok: false, failure }) as const;

describe('a round of dialling', () => {
  it('does not take a session for over because one that is behind does not know it', () => {
    const round = new Round([one, two]);
    expect(round.failed(one, behind)).toBeNull();
    expect(round.failed(two, said('unreachable'))).toBeNull();
    expect(round.failure).toMatchObject({ failure: 'behind', error: { code: 'UNAVAILABLE' } });
    expect(round.failure.error.message).toContain('one:1');
  });

  it('takes it for over when all are behind and do not know it, but for those where nobody is', () => {
    const other = { ...one, host: '::1' };
    const round = new Round([other, one, two]);
    expect(round.failed(other, { ...said('unreachable'), detail: 'ECONNREFUSED' })).toBeNull();
    expect(round.failed(one, behind)).toBeNull();
    expect(round.failure).toMatchObject({ failure: 'behind' });
    expect(round.failed(two, behind)).toBeNull();
    expect(round.failure).toMatchObject({ failure: 'expired', detail: 'it lags behind' });
  });

  it('asks all servers that one name stands for before it takes it for over', () => {
    const other = { ...one, host: '127.0.0.2' };
    const round = new Round([one, other]);
    expect(round.failed(one, behind)).toBeNull();
    expect(round.failed(other, said('unreachable'))).toBeNull();
    expect(round.failure).toMatchObject({ failure: 'behind' });
  });

  it('takes it for over as soon as one that is not behind says so', () => {
    expect(new Round([one, two]).failed(one, said('expired'))).toMatchObject({ failure: 'expired' });
  });

  it('says that we are refused only when every host does', () => {
    const round = new Round([one, two]);
    round.failed(one, said('unauthenticated'));
    expect(round.failure).toMatchObject({ failure: 'unauthenticated', error: { code: 'UNAVAILABLE' } });
    round.failed(two, said('untrusted'));
    expect(round.failure).toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
  });
});
