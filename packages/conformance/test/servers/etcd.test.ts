import { constants } from 'node:http2';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Link } from '../../src/harness.js';
import { type StoreNode, startEtcd } from '../../src/servers/index.js';
import { until } from '../../src/servers/until.js';
import { addressOf } from './address.js';
import { field, framed, GrpcConnection, numberField } from './grpc.js';

const put = (key: string, value = 'v') => Buffer.concat([field(1, key), field(2, value)]);
const range = (key: string) => field(1, key);
const keyValue = (method: string) => `/etcdserverpb.KV/${method}`;
const text = (value: string) => Buffer.from(value);

describe('one etcd', () => {
  let node: StoreNode;

  beforeAll(async () => {
    node = await startEtcd();
    return () => node.stop();
  });

  const connected = async (use: (connection: GrpcConnection, link: Link) => Promise<void>): Promise<void> => {
    const link = await node.link();
    const connection = new GrpcConnection(addressOf(link));
    try {
      await use(connection, link);
    } finally {
      connection.close();
      await link.close();
    }
  };

  it('shows an operator keys and entries, oldest first', async () => {
    for (const name of ['b', 'a', 'c']) await node.operator.write('look', `lock/x/${name}`, text(name));
    await node.operator.write('look', 'format', text('1'));
    expect(await node.operator.keys('look')).toEqual(['format', 'lock/x/a', 'lock/x/b', 'lock/x/c']);
    expect(await node.operator.entries('look', 'lock/x')).toEqual(['b', 'a', 'c']);
    expect(await node.operator.entries('look', 'lock/none')).toEqual([]);
    await node.operator.deleteEntry('look', 'lock/x', 'b');
    expect(await node.operator.entries('look', 'lock/x')).toEqual(['a', 'c']);
  });

  it('ends a session by revoking its lease', async () => {
    await connected(async (connection) => {
      const lease = 0x7fff_1234;
      await connection.call(
        '/etcdserverpb.Lease/LeaseGrant',
        Buffer.concat([numberField(1, 60), numberField(2, lease)]),
      );
      await connection.call(keyValue('Put'), Buffer.concat([put('expire/lock/x/e'), numberField(3, lease)]));
      expect(await node.operator.entries('expire', 'lock/x')).toEqual(['e']);
      await node.operator.expireSession(lease.toString(16));
      expect(await node.operator.entries('expire', 'lock/x')).toEqual([]);
    });
  });

  it('counts requests and writes at the wire, and leaves out what keeps a session alive', async () => {
    await connected(async (connection, link) => {
      await connection.call('/etcdserverpb.Lease/LeaseGrant', Buffer.concat([numberField(1, 60), numberField(2, 99)]));
      await connection.call(keyValue('Put'), put('ns/session/63'));
      await connection.call(keyValue('Range'), range('ns/session/63'));
      expect(link.wire).toEqual({ requests: 0, writes: 0, notifications: 0 });

      // Enough calls to fill the table of header compression and to throw old headers out of it.
      for (let call = 0; call < 200; call += 1) await connection.call(keyValue('Range'), range(`ns/key/${call}`));
      expect(link.wire).toEqual({ requests: 200, writes: 0, notifications: 0 });

      await connection.call(keyValue('Put'), put('ns/key/big', 'x'.repeat(300_000)));
      await connection.call(keyValue('Range'), range('ns/key/big'));
      await connection.call(keyValue('DeleteRange'), range('ns/key/big'));
      expect(link.wire).toEqual({ requests: 203, writes: 2, notifications: 0 });
    });
  });

  it('tells a transaction that only reads from one that writes', async () => {
    await connected(async (connection, link) => {
      const compare = field(1, Buffer.concat([numberField(2, 1), field(3, 'ns/void/1'), numberField(5, 0)]));
      const read = field(1, range('ns/lock/x/a'));
      const write = field(2, put('ns/lock/x/a'));
      await connection.call(keyValue('Txn'), Buffer.concat([compare, field(2, read)]));
      expect(link.wire).toEqual({ requests: 1, writes: 0, notifications: 0 });
      await connection.call(keyValue('Txn'), Buffer.concat([compare, field(2, write), field(2, read)]));
      expect(link.wire).toEqual({ requests: 2, writes: 1, notifications: 0 });
    });
  });

  it('counts a watch as one request and each change as one notification', async () => {
    await connected(async (connection, link) => {
      const watch = connection.open('/etcdserverpb.Watch/Watch');
      watch.write(framed(field(1, range('ns/watched'))));
      watch.write(framed(field(1, range('ns/session/63'))));
      const created = new Promise((resolve) => watch.once('data', resolve));
      await created;
      await node.operator.write('ns', 'watched', text('1'));
      await node.operator.write('ns', 'session/63', text('1'));
      await node.operator.write('ns', 'watched', text('2'));
      await until('two notifications', 2_000, async () => (link.wire.notifications === 2 ? true : undefined));
      expect(link.wire).toEqual({ requests: 1, writes: 0, notifications: 2 });
    });
  });

  it('delivers a held request after the client gave up, though the client cancelled it', async () => {
    await connected(async (connection, link) => {
      await connection.call(keyValue('Range'), range('late/warm'));
      link.holdRequests();
      const lost = connection.open(keyValue('Put'));
      lost.end(framed(put('late/key')));
      expect(await node.operator.keys('late')).toEqual([]);
      lost.close(constants.NGHTTP2_CANCEL);
      expect(await node.operator.keys('late')).toEqual([]);
      await link.deliverHeld();
      expect(await node.operator.keys('late')).toEqual(['key']);
    });
  });

  it('applies a request whose reply is swallowed', async () => {
    await connected(async (connection, link) => {
      await connection.call(keyValue('Range'), range('swallow/warm'));
      link.swallowReplies();
      const lost = connection.call(keyValue('Put'), put('swallow/key'));
      const outcome = expect(lost).rejects.toThrow();
      await until('the put is applied', 2_000, async () => (await node.operator.keys('swallow'))[0]);
      link.heal();
      await outcome;
    });
  });

  it('keeps its data over a kill and loses it in a wipe, on the same address', async () => {
    await node.operator.write('keep', 'key', text('1'));
    await node.control.kill();
    await expect(node.operator.keys('keep')).rejects.toThrow();
    await node.control.start();
    expect(await node.operator.keys('keep')).toEqual(['key']);
    await node.control.wipe();
    expect(await node.operator.keys('keep')).toEqual([]);
  });
});
