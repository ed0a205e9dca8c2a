import type { Link } from '@concordat/conformance';
import type { StoreNode } from '@concordat/conformance/servers';
import type { CoordinatorOptions } from '@concordat/core';
import { onTestFinished } from 'vitest';

/** A way to a server that can be broken; closed with the test. */
export async function linkTo(
  node: StoreNode,
): Promise<Link & { readonly hosts: CoordinatorOptions['hosts'] & object }> {
  const link = await node.link();
  onTestFinished(() => link.close());
  return Object.assign(link, { hosts: link.options.hosts ?? [] });
}
