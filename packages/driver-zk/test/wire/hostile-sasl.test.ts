import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSecurity } from '../../src/security.js';
import { TrafficCount } from '../../src/traffic.js';
import { WireTransport } from '../../src/wire/transport.js';
import { reply, sized, welcome } from './support/bytes.js';
import { HostilePeer } from './support/hostile-peer.js';

const credentials = { username: 'alice', password: 'a password that stays here' };
const challenge = 'realm="zk-sasl-md5",nonce="a nonce",charset=utf-8,algorithm=md5-sess';

/** Authenticates by SASL at a peer that answers the steps of the exchange with these, one after the other. */
async function authenticated(tokens: readonly Uint8Array[]) {
  const heard: Buffer[] = [];
  const peer = await HostilePeer.start((socket, requests) => {
    requests.on((request, index) => {
      heard.push(request);
      const token = tokens[index - 1];
      if (index === 0) socket.write(welcome());
      else if (token === undefined) socket.end();
      else socket.write(reply(request.readInt32BE(0), 0n, 0, sized(token)));
    });
  });
  onTestFinished(() => peer.close());
  const security = readSecurity({ credentials, extra: { auth: 'sasl' } });
  const result = await new WireTransport({ tls: null }, security, new TrafficCount()).connect({
    address: peer.address,
    sessionTimeoutMs: 6_000,
    limitMs: 10_000,
    resume: null,
    signal: new AbortController().signal,
  });
  if (result.ok) result.connection.sever();
  await expect.poll(() => peer.open, { interval: 2 }).toBe(0);
  return { outcome: result.ok ? 'connected' : result.failure, heard: Buffer.concat(heard) };
}

describe('a server asked to prove that it knows the password as well', () => {
  it.each([
    ['has no challenge', []],
    ['has an empty challenge', ['']],
    ['has a challenge that is none', ['NTLM']],
    ['has no proof', [challenge, '']],
    ['has a wrong proof', [challenge, `rspauth=${'0'.repeat(32)}`]],
    ['repeats its challenge', [challenge, challenge]],
    ['closes in the place of its proof', [challenge]],
    ['has a challenge of 5 MB', ['a-'.repeat(2_500_000)]],
  ])('is left when it %s, and never sees the password', async (_, tokens) => {
    const startedAt = performance.now();
    const { outcome, heard } = await authenticated(tokens.map((token) => Buffer.from(token)));
    expect(['unauthenticated', 'unreachable']).toContain(outcome);
    expect(heard.includes(credentials.password)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('is left whatever else it says', async () => {
    const token = fc.uint8Array({ maxLength: 100 });
    const field = fc.constantFrom('nonce', 'realm', 'qop', 'algorithm', 'rspauth', 'charset');
    const fields = fc
      .array(fc.tuple(field, fc.constantFrom('""', 'md5-sess', '"auth"', '\\"', 'utf-8', '"')), { maxLength: 6 })
      .map((pairs) => Buffer.from(pairs.map((pair) => pair.join('=')).join(',')));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(token, fields), { maxLength: 3 }), async (tokens) => {
        const { outcome, heard } = await authenticated(tokens);
        expect(['unauthenticated', 'unreachable']).toContain(outcome);
        expect(heard.includes(credentials.password)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
