import { Tls } from '@concordat/core/spi';
import { expect, it, onTestFinished } from 'vitest';
import { freshNamespace, openBackend } from './support/open-backend.js';
import { SecureServers } from './support/secure-servers.js';
import { addressesOf } from './support/servers.js';
import { govern } from './support/users.js';

it('SEC-26 is the user that its certificate names, without a password', async () => {
  const servers = await SecureServers.create();
  onTestFinished(() => servers.stop());
  const node = await servers.start(await servers.server(), { clientCertificates: true });
  const { accounts } = await govern(node);
  const namespace = freshNamespace();
  await accounts.addUser('service-a', 'unused', `${namespace}/`);
  const { certificate: cert, key } = await servers.authority.issue({ name: 'service-a' });
  const one = openBackend(addressesOf(node), { tls: new Tls({ ca: servers.ca, cert, key }), namespace });
  onTestFinished(() => one.close());
  await one.session.connected();
  await one.backend.put('config/a', Buffer.of(1), { expect: 'absent' }, one.call());
  await accounts.forbid('service-a', `${namespace}/`);
  const put = one.backend.put('config/a', Buffer.of(2), { expect: 'any' }, one.call());
  await expect(put).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
});
