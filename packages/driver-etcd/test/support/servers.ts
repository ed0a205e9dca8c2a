import type { Link } from '@concordat/conformance';
import type { StoreNode } from '@concordat/conformance/servers';
import { onTestFinished } from 'vitest';

/** A link that is closed with the test. */
export async function linkTo(node: StoreNode): Promise<Link> {
  const link = await node.link();
  onTestFinished(() => link.close());
  return link;
}

export function hostsOf({ options }: Link): readonly string[] {
  return (options.hosts ?? []).map(String);
}

export function addressesOf({ hosts }: StoreNode): readonly string[] {
  return hosts.map(({ host, port }) => `${host}:${String(port)}`);
}
