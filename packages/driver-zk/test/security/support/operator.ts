import { createHash } from 'node:crypto';
import type { Credentials } from '@concordat/conformance/servers';

/** Who may do everything on a server with {@link knowingOperator}, whatever its ACLs say. */
export const operator: Credentials = { username: 'super', password: 'of the operator' };

/** Properties of a server. */
export const knowingOperator = { 'zookeeper.DigestAuthenticationProvider.superDigest': idOf(operator) };

/** What ZooKeeper calls somebody who proves himself by its scheme `digest`. */
export function idOf({ username, password }: Credentials): string {
  return `${username}:${createHash('sha1').update(`${username}:${password}`).digest('base64')}`;
}
