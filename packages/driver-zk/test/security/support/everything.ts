import type { Coordinator } from '@concordat/core';

/** Makes a coordinator create whatever it can, under one name: entries, registers and the directories above them. */
export async function createEverything(coordinator: Coordinator, name: string): Promise<void> {
  await Promise.all([
    leading(coordinator, name),
    coordinator.lock(name).acquire(),
    coordinator.readWriteLock(name).read.acquire(),
    coordinator.semaphore(name, 2).acquire(),
    coordinator.group(name).join('me', {}),
    coordinator.config(`${name}/in/a/directory`).set(1),
    coordinator.bundle(name).publish({ a: '1' }),
    coordinator.barrier(name).close(),
    coordinator.doubleBarrier(name, 1).enter(),
    coordinator.rendezvous(name).publish(1),
    coordinator.idempotency(name).run('key', () => 1),
  ]);
}

/** Where each of them is, below the namespace. */
export function everythingOf(name: string): readonly string[] {
  const kinds = ['lock', 'rw', 'sem', 'election', 'group', 'config', 'bundle', 'barrier', 'double', 'meet', 'once'];
  return ['format', 'session', ...kinds.map((kind) => `${kind}/${name}`), `config/${name}/in/a/directory`];
}

function leading(coordinator: Coordinator, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    coordinator
      .election(name)
      .campaign({ value: 'me' })
      .subscribe({ next: ({ state }) => state === 'leading' && resolve(), error: reject });
  });
}
