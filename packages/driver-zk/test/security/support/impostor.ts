import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Somebody on a port of his own who is no ZooKeeper. */
export interface Impostor {
  readonly hosts: readonly string[];
  readonly connections: number;
  /** Everything that he was sent, byte for byte. */
  readonly heard: string;
}

/** Ends with the test. */
export async function impostor(meet: (socket: Socket) => void): Promise<Impostor> {
  let heard = '';
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
    });
    meet(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    hosts: [`127.0.0.1:${String(port)}`],
    get connections() {
      return connections;
    },
    get heard() {
      return heard;
    },
  };
}
