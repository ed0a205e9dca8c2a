import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Identity } from '../../src/connection.js';
import { eventually } from '../support/eventually.js';
import { frame, int, long, sized, welcome } from './support/bytes.js';
import { dialled, tryDial } from './support/dialling.js';
import { type Behaviour, HostilePeer } from './support/hostile-peer.js';

const identity: Identity = { id: '7', password: '09'.repeat(16) };

async function peerThat(behave: Behaviour): Promise<HostilePeer> {
  const peer = await HostilePeer.start(behave);
  onTestFinished(() => peer.close());
  return peer;
}

/** Says something to the greeting, and nothing more. */
function saying(...parts: readonly Uint8Array[]): Behaviour {
  return (socket, requests) => requests.on(() => void socket.write(Buffer.concat(parts)));
}

describe('whoever answers the greeting', () => {
  it.each([
    ['a password of another length', welcome({ password: Buffer.alloc(15) })],
    ['no password', welcome({ password: Buffer.alloc(0) })],
    ['another version of the protocol', welcome({ version: 1 })],
    ['150 hours of session', welcome({ timeoutMs: 540_000_000 })],
    ['a new session that is over', welcome({ timeoutMs: 0 })],
    ['an empty frame', frame()],
    ['a frame of 1 KiB and one byte', int(1_025)],
    ['a frame of 2 GiB', int(2_147_483_647)],
    ['a frame of less than nothing', int(-1)],
    ['garbage ahead of a welcome', Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), welcome()])],
    ['a password that claims 2 GiB', frame(int(0), int(4_000), long(1n), int(2_147_483_647), Buffer.alloc(16))],
  ])('with %s is not ZooKeeper, and is left at once', async (_, answer) => {
    const peer = await peerThat(saying(answer));
    expect(await tryDial(peer.address)).toEqual({ ok: false, failure: 'not-zookeeper' });
    await expect.poll(() => peer.open).toBe(0);
  });

  it.each([
    ['another session', welcome({ id: 8n })],
    ['no time', welcome({ timeoutMs: 0 })],
    ['less than no time', welcome({ timeoutMs: -1 })],
  ])('with %s for a session says that it is over', async (_, answer) => {
    const peer = await peerThat(saying(answer));
    expect(await tryDial(peer.address, { identity })).toEqual({ ok: false, failure: 'expired' });
    await expect.poll(() => peer.open).toBe(0);
  });

  it('with the read-only bit has no quorum', async () => {
    const peer = await peerThat(saying(welcome({ rest: [1] })));
    expect(await tryDial(peer.address)).toEqual({ ok: false, failure: 'read-only' });
    await expect.poll(() => peer.open).toBe(0);
  });

  it('byte by byte is understood, and so is one who does not say whether it is read-only', async () => {
    const peer = await peerThat((socket, requests) => {
      requests.on(() => {
        // One byte per turn of the event loop, so that each arrives alone.
        const trickle = ([byte, ...rest]: readonly number[]): void => {
          if (byte === undefined) return;
          socket.write(Buffer.of(byte));
          setImmediate(() => trickle(rest));
        };
        trickle([...welcome({ rest: [] })]);
      });
    });
    const { port } = peer.address;
    expect((await dialled(port)).welcome).toEqual({ identity, timeoutMs: 4_000, readOnly: false });
  });

  it('and closes at any byte of the welcome is unreachable', async () => {
    const whole = welcome();
    let at = 0;
    const peer = await peerThat((socket, requests) => requests.on(() => void socket.end(whole.subarray(0, at))));
    for (; at < whole.length; at += 1)
      expect(await tryDial(peer.address)).toEqual({ ok: false, failure: 'unreachable' });
    await expect.poll(() => peer.open).toBe(0);
  });

  it('and claims more than comes is waited for until the caller gives up', async () => {
    const peer = await peerThat(saying(welcome().subarray(0, 20)));
    const startedAt = performance.now();
    const result = await tryDial(peer.address, {}, { signal: AbortSignal.timeout(200) });
    expect(result).toMatchObject({ ok: false, failure: 'unreachable' });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await expect.poll(() => peer.open).toBe(0);
  });

  it('with random bytes, in pieces and with or without a close, is answered in a word and left', async () => {
    let say: Behaviour = () => undefined;
    const peer = await peerThat((socket, requests) => say(socket, requests));
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 48 }), { minLength: 1, maxLength: 6 });
    // Those that look like a frame get further.
    const framed = fc.uint8Array({ maxLength: 80 }).map((bytes) => [sized(bytes)]);
    await fc.assert(
      fc.asyncProperty(fc.oneof(pieces, framed), fc.boolean(), fc.boolean(), async (parts, early, closes) => {
        say = (socket, requests) => {
          const speak = (): void => {
            for (const part of parts) socket.write(part);
            if (closes) socket.end();
          };
          if (early) speak();
          else requests.on(speak);
        };
        const result = await tryDial(peer.address, {}, { signal: AbortSignal.timeout(closes ? 20_000 : 30) });
        if (result.ok) result.channel.destroy();
        else expect(['unreachable', 'not-zookeeper', 'read-only']).toContain(result.failure);
        await eventually(() => peer.open === 0);
      }),
      { numRuns: 150 },
    );
  });
});
