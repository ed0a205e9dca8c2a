import { expect, it, onTestFinished } from 'vitest';
import { type SecureNode, startSecureZooKeeper, type ZooKeeperSettings } from '../../src/servers/index.js';
import { ZooKeeperClient } from '../../src/servers/zookeeper-client.js';
import { ZooKeeperConnection, zooKeeperCodes } from '../../src/servers/zookeeper-connection.js';

const operator = { username: 'operator', password: 'of the "operator" \\' };
const alice = { username: 'alice', password: 'of alice' };
const { noAuth, mustSayWho } = zooKeeperCodes;
const create = 1;
const allPermissions = 31;

async function start(settings: ZooKeeperSettings): Promise<SecureNode<ZooKeeperSettings>> {
  const node = await startSecureZooKeeper(settings);
  onTestFinished(() => node.stop());
  return node;
}

async function open({ door }: SecureNode<ZooKeeperSettings>, credentials?: typeof alice): Promise<ZooKeeperClient> {
  const client = await ZooKeeperClient.open(door, { credentials });
  onTestFinished(() => client.close().catch(() => undefined));
  return client;
}

const users = (password: string) => ({ [alice.username]: password });

it('ZooKeeper believes a user with the right password only', async () => {
  const node = await start({ sasl: { users: users(alice.password), required: false } });
  await (await open(node, alice)).getChildren('/');
  await (await open(node)).getChildren('/');
  await expect(open(node, { ...alice, password: 'guessed' })).rejects.toThrow();
  await expect(open(node, { username: 'mallory', password: 'guessed' })).rejects.toThrow();
});

it('ZooKeeper lets nobody else do anything where users are required, and knows its operator', async () => {
  const node = await start({ sasl: { users: users(alice.password), required: true }, operator });
  await expect((await open(node)).getChildren('/')).rejects.toMatchObject({ code: mustSayWho });
  const client = await open(node, alice);
  await client.create('/hers', Buffer.alloc(0), { ephemeral: true });
  expect(await node.operator.keys('')).toContain('hers');
  await node.operator.expireSession(client.sessionId.toString(16));
  expect(await node.operator.keys('')).not.toContain('hers');
});

it('ZooKeeper starts again with another password for a user', async () => {
  const node = await start({ sasl: { users: users(alice.password), required: true }, operator });
  await node.operator.write('keep', 'key', Buffer.from('1'));
  await node.restart({ sasl: { users: users('another'), required: true }, operator });
  await expect(open(node, alice)).rejects.toThrow();
  await (await open(node, { ...alice, password: 'another' })).getChildren('/');
  expect(await node.operator.keys('keep')).toEqual(['key']);
});

it("ZooKeeper's operator sees what an access control list shows to nobody else", async () => {
  const node = await start({ sasl: { users: users(alice.password), required: false }, operator });
  const connection = new ZooKeeperConnection(node.door, 5_000);
  onTestFinished(() => connection.destroy());
  await connection.handshake(0n);
  await connection.signIn(alice);
  const request = connection.request(create).text('/hers').bytes(Buffer.alloc(0));
  await connection.ask(request.int(1).int(allPermissions).text('auth').text('').int(0));
  await expect((await open(node)).getData('/hers')).rejects.toMatchObject({ code: noAuth });
  await (await open(node, alice)).getData('/hers');
  await node.operator.write('', 'hers', Buffer.from('1'));
});
