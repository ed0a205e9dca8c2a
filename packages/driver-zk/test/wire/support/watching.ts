import { onTestFinished } from 'vitest';
import { bytes, call, type Opened, openConnected, text } from '../../support/open.js';
import type { TestServer } from '../../support/server.js';
import { FrameProxy } from './frame-proxy.js';

/** One who watches through a link that can be broken, and one who writes beside it. */
export interface Pair {
  readonly proxy: FrameProxy;
  readonly watcher: Opened;
  readonly writer: Opened;
}

/** Both with sessions that last longer than a test; closed when it is over. */
export async function openPair(server: TestServer, sessionTimeoutMs = 30_000): Promise<Pair> {
  const proxy = await FrameProxy.start(server.port);
  const [watcher, writer] = await Promise.all(
    [proxy.port, server.port].map((port) => openConnected([port], { sessionTimeoutMs })),
  );
  if (watcher === undefined || writer === undefined) throw new Error('not opened');
  onTestFinished(async () => {
    await Promise.all([watcher.close(), writer.close()]);
    await proxy.close();
  });
  return { proxy, watcher, writer };
}

/** What a stream of a register has shown: values as texts, and `null` for none. */
export function shown({ backend }: Opened, key: string): { readonly values: readonly (string | null)[]; stop(): void } {
  const values: (string | null)[] = [];
  const subscription = backend.watch(key).subscribe((register) => {
    values.push(register === null ? null : text(register.value));
  });
  return { values, stop: () => subscription.unsubscribe() };
}

export function put({ backend }: Opened, key: string, value: string): Promise<unknown> {
  return backend.put(key, bytes(value), { expect: 'any' }, call());
}

/** Deletes a register for good, its node included. */
export async function unlink({ backend }: Opened, key: string): Promise<void> {
  await backend.delete(key, {}, call());
  await backend.purge(key, call());
}

/** Paths with a watch of a node's data or creation, by the server's own account. */
export async function watchedPaths(server: TestServer): Promise<readonly string[]> {
  return (await server.ask('wchp')).split('\n').filter((line) => line.startsWith('/'));
}
