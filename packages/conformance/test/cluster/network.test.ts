import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Door } from '../../src/servers/cluster/door.js';
import { electionOpening } from '../../src/servers/cluster/election-opening.js';
import { Network } from '../../src/servers/cluster/network.js';
import { ownerOf } from '../../src/servers/cluster/socket-owner.js';

const caller = { name: 'caller' };
const server = { name: 'server' };
const quietMs = 50;

describe('the way from one party to another', () => {
  const network = new Network();
  const seen: string[] = [];
  let listener: Server;
  let door: Door;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    listener = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        seen.push(String(bytes));
        socket.write(`re:${String(bytes)}`);
      });
    });
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    door = await Door.open({
      network,
      to: server,
      host: { host: '127.0.0.1', port: address.port },
      from: () => caller,
    });
  });

  afterEach(async () => {
    network.heal();
    for (const socket of sockets.splice(0)) socket.destroy();
    await door.close();
    listener.close();
    seen.length = 0;
  });

  const call = (): { readonly socket: Socket; readonly heard: string[] } => {
    const heard: string[] = [];
    const socket = connect({ ...door.host, noDelay: true });
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => heard.push(String(bytes)));
    sockets.push(socket);
    return { socket, heard };
  };
  /** Long enough for anything that is let through, in loopback's terms. */
  const settled = async (): Promise<void> => {
    const { socket } = call();
    const other = connect({ ...door.host });
    other.destroy();
    socket.destroy();
    const end = performance.now() + quietMs;
    await expect.poll(() => performance.now() > end).toBe(true);
  };

  it('passes bytes and ends both ways', async () => {
    const { socket, heard } = call();
    socket.write('a');
    await expect.poll(() => heard).toEqual(['re:a']);
    socket.end();
    await once(socket, 'close');
    expect(door.connections).toBe(0);
  });

  it('holds what is said in one direction, and delivers it afterwards on the same connection', async () => {
    const { socket, heard } = call();
    socket.write('a');
    await expect.poll(() => heard).toEqual(['re:a']);
    network.set(server, caller, { mode: 'hold' });
    socket.write('b');
    await expect.poll(() => seen).toEqual(['a', 'b']);
    await settled();
    expect(heard).toEqual(['re:a']);
    network.heal();
    await expect.poll(() => heard).toEqual(['re:a', 're:b']);
  });

  it('holds the end of a connection too', async () => {
    const { socket, heard } = call();
    socket.write('a');
    await expect.poll(() => heard).toEqual(['re:a']);
    network.set(caller, server, { mode: 'hold' });
    socket.destroy();
    await settled();
    expect(door.connections).toBe(1);
    network.heal();
    await expect.poll(() => door.connections).toBe(0);
  });

  it('lets no connection begin while one direction is held', async () => {
    network.set(server, caller, { mode: 'hold' });
    const { socket, heard } = call();
    socket.write('a');
    await settled();
    expect(seen).toEqual([]);
    network.heal();
    await expect.poll(() => heard).toEqual(['re:a']);
  });

  it('loses replies alone, and ends the connection that lost some when this is over', async () => {
    const { socket, heard } = call();
    network.set(server, caller, { mode: 'lose' });
    socket.write('a');
    await expect.poll(() => seen).toEqual(['a']);
    await settled();
    expect(heard).toEqual([]);
    const closed = once(socket, 'close');
    network.heal();
    await closed;
    expect(heard).toEqual([]);
  });

  it('delays bytes, and keeps their order when the delay shrinks', async () => {
    const { socket, heard } = call();
    network.set(caller, server, { delayMs: 80 });
    const began = performance.now();
    socket.write('a');
    await expect.poll(() => heard).toEqual(['re:a']);
    expect(performance.now() - began).toBeGreaterThanOrEqual(80);
    socket.write('b');
    await settled();
    network.set(caller, server, { delayMs: 0 });
    socket.write('c');
    await expect.poll(() => seen.join('')).toBe('abc');
  });

  it('closes a connection to nobody, after it was patient', async () => {
    listener.close();
    const { socket } = call();
    await once(socket, 'close');
    expect(door.connections).toBe(0);
  });
});

describe('who is calling', () => {
  it('is told from the kernel', async () => {
    const listener = createServer();
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const accepted = new Promise<Socket>((resolve) => {
      listener.once('connection', resolve);
    });
    const socket = connect(address.port, '127.0.0.1');
    const peer = await accepted;
    expect(ownerOf(peer, [1, process.pid])).toBe(process.pid);
    expect(ownerOf(peer, [process.ppid])).toBeNull();
    socket.destroy();
    peer.destroy();
    listener.close();
  });
});

describe('what a ZooKeeper server says first to another', () => {
  const said = Buffer.concat([
    longOf(-65_536n),
    longOf(2n),
    Buffer.of(0, 0, 0, 9),
    Buffer.from('127.0.0.1'),
    Buffer.from('more'),
  ]);

  it('is cut down to its number, however it arrives', () => {
    expect(electionOpening()(said)).toEqual(Buffer.concat([longOf(2n), Buffer.from('more')]));
    const bit = electionOpening();
    expect(bit(said.subarray(0, 7))).toBeNull();
    expect(bit(said.subarray(7, 25))).toBeNull();
    expect(bit(said.subarray(25))).toEqual(Buffer.concat([longOf(2n), Buffer.from('more')]));
  });
});

function longOf(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}
