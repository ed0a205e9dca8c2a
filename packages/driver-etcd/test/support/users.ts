import { type AuthTokens, type EtcdSettings, type SecureNode, startSecureEtcd } from '@concordat/conformance/servers';
import { onTestFinished } from 'vitest';
import { Accounts } from './accounts.js';
import { Gateway } from './gateway.js';
import { freshNamespace, type Opened, openBackend } from './open-backend.js';
import { addressesOf } from './servers.js';

const rootPassword = 'password-of-the-operator';

/** One etcd with authentication, and whoever rules over it. */
export interface Realm {
  readonly node: SecureNode<EtcdSettings>;
  readonly gateway: Gateway;
  readonly accounts: Accounts;
}

/** Starts an etcd that asks for users; to be stopped by who started it. */
export async function startRealm(authToken: AuthTokens): Promise<Realm> {
  const operator = { username: 'root', password: rootPassword };
  // Passwords are hashed so that guessing is slow; waiting for that proves nothing here.
  return govern(await startSecureEtcd({ authToken, operator, flags: { 'bcrypt-cost': '4' } }));
}

/** Makes a server ask for users. */
export async function govern(node: SecureNode<EtcdSettings>): Promise<Realm> {
  const gateway = new Gateway(node.door);
  await gateway.enableAuthentication(rootPassword);
  return { node, gateway, accounts: new Accounts(gateway) };
}

let users = 0;

/** A new user who may do everything in a namespace of its own. */
export interface Member {
  readonly name: string;
  readonly password: string;
  readonly namespace: string;
}

export async function addMember({ accounts }: Realm): Promise<Member> {
  users += 1;
  const member = {
    name: `member-${String(users)}`,
    password: `password-of-${String(users)}`,
    namespace: freshNamespace(),
  };
  await accounts.addUser(member.name, member.password, `${member.namespace}/`);
  return member;
}

/** A backend with that user's name and password, closed with the test. */
export function openedBy(member: Member, { node }: Realm, hosts = addressesOf(node), sessionTimeoutMs = 4_000): Opened {
  const credentials = { username: member.name, password: member.password };
  const one = openBackend(hosts, { credentials, namespace: member.namespace, sessionTimeoutMs });
  onTestFinished(() => one.close());
  return one;
}
