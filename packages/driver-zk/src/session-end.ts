import { connect } from 'node:net';
import type { Address, Identity } from './connection.js';

const closeSession = -11;
const passwordBytes = 16;
const connectRequestBytes = 45;

/**
 * Ends a session on the server, over a plain socket of its own: attaches to it and sends CLOSE. The native client can do that only while
 * it blocks the whole process until the server answers, up to 1.5 s.
 *
 * Resolves true when the session is over, whoever ended it, and false when this server could not be asked. Never rejects.
 */
export function endSession(address: Address, identity: Identity, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    let over = false;
    let received = Buffer.alloc(0);
    // In one flight: nobody can take the session back in between, and a server reads on only once it attached.
    const socket = connect(address.port, address.host, () => {
      socket.write(Buffer.concat([connectRequest(identity), closeRequest()]));
    });
    const abort = (): void => {
      socket.destroy();
    };
    signal.addEventListener('abort', abort);
    socket.setNoDelay(true);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      const [response, reply] = frames(received);
      // A server that does not know the session any more answers with session 0.
      over = reply !== undefined || (response !== undefined && sessionOf(response) === 0n);
      if (over) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      signal.removeEventListener('abort', abort);
      resolve(over);
    });
  });
}

/** Jute: big-endian numbers, and buffers behind their length; each message behind its own. */
function connectRequest({ id, password }: Identity): Buffer {
  const request = Buffer.alloc(4 + connectRequestBytes);
  let at = request.writeInt32BE(connectRequestBytes, 0);
  at = request.writeInt32BE(0, at); // protocol version
  at = request.writeBigInt64BE(0n, at); // last zxid seen: none
  at = request.writeInt32BE(0, at); // timeout: the shortest there is
  at = request.writeBigUInt64BE(BigInt(`0x${id}`), at);
  at = request.writeInt32BE(passwordBytes, at);
  Buffer.from(password, 'hex').copy(request, at); // and a last byte 0: not read-only
  return request;
}

function closeRequest(): Buffer {
  const request = Buffer.alloc(12);
  request.writeInt32BE(8, 0);
  request.writeInt32BE(1, 4);
  request.writeInt32BE(closeSession, 8);
  return request;
}

/** The messages that came in whole. */
function frames(received: Buffer): readonly Buffer[] {
  if (received.length < 4) return [];
  const end = 4 + received.readInt32BE(0);
  return received.length < end ? [] : [received.subarray(4, end), ...frames(received.subarray(end))];
}

/** Of a connect response: behind the protocol version and the timeout. */
function sessionOf(frame: Buffer): bigint {
  return frame.length < 16 ? -1n : frame.readBigUInt64BE(8);
}
