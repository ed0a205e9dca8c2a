import { startEtcd } from '@concordat/conformance/servers';
import { expect, it, onTestFinished } from 'vitest';
import { openBackend } from './support/open-backend.js';
import { addressesOf, hostsOf, linkTo } from './support/servers.js';

it('SESS-17 ends a session when the store was restored to an older term, and written beyond what it saw before it comes back', async () => {
  const node = await startEtcd();
  onTestFinished(() => node.stop());
  const link = await linkTo(node);
  const client = openBackend(hostsOf(link), { sessionTimeoutMs: 20_000 });
  onTestFinished(() => client.close());
  await client.session.connected();
  const { id } = client.session.state;
  const backup = await node.control.backUp();
  // Each start is an election, and a term of its own.
  for (let election = 0; election < 2; election += 1) {
    await node.control.kill();
    await node.control.start();
  }
  await client.backend.confirm(client.call());
  const seen = client.session.order;
  link.cut();
  await backup.restore();
  const writer = openBackend(addressesOf(node));
  onTestFinished(() => writer.close());
  await writer.session.connected();
  await expect
    .poll(async () => {
      await writer.backend.put('config/filler', Buffer.from('x'), { expect: 'any' }, writer.call());
      return writer.session.order;
    })
    .toBeGreaterThan(seen + 10n);
  const lost = new Promise((resolve) => client.session.onLost(1, resolve));
  link.heal();
  expect(await lost).toMatchObject({ code: 'SESSION_LOST', message: expect.stringMatching(/restored/) as string });
  await client.session.connected();
  expect(client.session.state.id).not.toBe(id);
});
