import { readSecurity } from '../../src/security.js';
import { endSession as end } from '../../src/wire/session-end.js';
import { eventually } from './eventually.js';
import type { Opened } from './open.js';
import type { TestServer } from './server.js';

const mask48 = (1n << 48n) - 1n;
const multiplier = 0x5deece66dn;
const secret = 0xb3415c00n;

/** Ends a session as a second client: the server derives its password from its id, with java.util.Random. */
export async function endSession(server: TestServer, { session }: Opened): Promise<void> {
  const id = session.state.id ?? '';
  const identity = { id, password: passwordOf(BigInt(`0x${id}`)) };
  const { signal } = new AbortController();
  // Its client comes back at once, so the first answer may be lost; the next one says that there is no such session.
  const route = { address: { name: '127.0.0.1', host: '127.0.0.1', port: server.port }, tls: null };
  const security = readSecurity({ credentials: null, extra: {} });
  await eventually(() => end(route, { identity, seen: 0n }, security, signal));
}

function passwordOf(id: bigint): string {
  let seed = (BigInt.asUintN(64, id ^ secret) ^ multiplier) & mask48;
  const password = Buffer.alloc(16);
  for (let offset = 0; offset < 16; offset += 4) {
    seed = (seed * multiplier + 0xbn) & mask48;
    password.writeInt32LE(Number(BigInt.asIntN(32, seed >> 16n)), offset);
  }
  return password.toString('hex').toUpperCase();
}
