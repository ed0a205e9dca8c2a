import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { readSecurity } from '../src/security.js';
import { endSession } from '../src/wire/session-end.js';

const identity = { id: '1', password: '00'.repeat(16) };

async function endAtOneWhoSays(answer: Buffer, limitMs: number): Promise<boolean> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(answer);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const route = { address: { name: '127.0.0.1', host: '127.0.0.1', port }, tls: null };
    const security = readSecurity({ credentials: null, extra: {} });
    return await endSession(route, { identity, seen: 0n }, security, AbortSignal.timeout(limitMs));
  } finally {
    server.close();
  }
}

it.each([
  ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xfc])],
  ['empty messages', Buffer.alloc(8)],
  ['nothing but zeros', Buffer.alloc(100_000)],
  ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('does not take %s for the end of a session, and is not harmed', async (_, answer) => {
  expect(await endAtOneWhoSays(answer, 200)).toBe(false);
});
