import { connect } from 'node:net';
import type { Address, Identity } from './connection.js';

const closeSession = -11;
const passwordBytes = 16;
const connectRequestBytes = 45;
const connectResponseBytes = 36;
const longestAnswer = 4_096;

/**
 * Ends a session on the server, over a plain socket of its own: attaches to it and sends CLOSE. The native client can do that only while
 * it blocks the whole process until the server answers, up to 1.5 s.
 *
 * Resolves true when the session is over, whoever ended it, and false when this server could not be asked. Never rejects.
 */
export function endSession(address: Address, identity: Identity, signal: AbortSignal): Promise<boolean> {
  // In one flight: nobody can take the session back in between, and a server reads on only once it attached. The timeout is the shortest there is.
  const request = Buffer.concat([connectRequest(identity, 0), closeRequest()]);
  return exchange(address, request, signal, ([response, reply]) => {
    // A server that does not know the session any more answers with session 0.
    const over = isConnectResponse(response) && (reply !== undefined || sessionOf(response) === 0n);
    return over ? true : null;
  });
}

/**
 * Asks a server, by attaching to it, whether a session is over; ends nothing.
 *
 * Resolves false also when this server could not be asked, or is not ZooKeeper. Never rejects.
 *
 * @param timeoutMs the session's own: a server changes it to what the last connection asked for.
 */
export function isSessionOver(
  address: Address,
  identity: Identity,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  return exchange(address, connectRequest(identity, timeoutMs), signal, ([response]) => {
    if (response === undefined) return null;
    return isConnectResponse(response) && sessionOf(response) !== numberOf(identity);
  });
}

/** Sends `request` and settles with the first verdict on the answer that is not `null`, or with false. */
function exchange(
  address: Address,
  request: Buffer,
  signal: AbortSignal,
  judge: (messages: readonly Buffer[]) => boolean | null,
): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    let verdict: boolean | null = null;
    let received = Buffer.alloc(0);
    const socket = connect(address.port, address.host, () => {
      socket.write(request);
    });
    const abort = (): void => {
      socket.destroy();
    };
    signal.addEventListener('abort', abort);
    socket.setNoDelay(true);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      verdict ??= judge(frames(received));
      // Whoever says more than that is not ZooKeeper.
      if (verdict !== null || received.length > longestAnswer) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      signal.removeEventListener('abort', abort);
      resolve(verdict ?? false);
    });
  });
}

/** Jute: big-endian numbers, and buffers behind their length; each message behind its own. */
function connectRequest(identity: Identity, timeoutMs: number): Buffer {
  const request = Buffer.alloc(4 + connectRequestBytes);
  let at = request.writeInt32BE(connectRequestBytes, 0);
  at = request.writeInt32BE(0, at); // protocol version
  at = request.writeBigInt64BE(0n, at); // last zxid seen: none
  at = request.writeInt32BE(timeoutMs, at);
  at = request.writeBigUInt64BE(numberOf(identity), at);
  at = request.writeInt32BE(passwordBytes, at);
  Buffer.from(identity.password, 'hex').copy(request, at); // and a last byte 0: not read-only
  return request;
}

function closeRequest(): Buffer {
  const request = Buffer.alloc(12);
  request.writeInt32BE(8, 0);
  request.writeInt32BE(1, 4);
  request.writeInt32BE(closeSession, 8);
  return request;
}

function numberOf({ id }: Identity): bigint {
  return BigInt(`0x${id}`);
}

/** The first two messages, as far as they came in whole. */
function frames(received: Buffer): readonly Buffer[] {
  const whole: Buffer[] = [];
  for (let at = 0; whole.length < 2 && at + 4 <= received.length; ) {
    const end = at + 4 + received.readUInt32BE(at);
    if (end > received.length) break;
    whole.push(received.subarray(at + 4, end));
    at = end;
  }
  return whole;
}

/** Protocol version, timeout, session, and a password behind its length. */
function isConnectResponse(frame: Buffer | undefined): frame is Buffer {
  return frame !== undefined && frame.length >= connectResponseBytes && frame.readInt32BE(16) === passwordBytes;
}

function sessionOf(response: Buffer): bigint {
  return response.readBigUInt64BE(8);
}
