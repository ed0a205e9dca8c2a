import { fstatSync, readdirSync, readFileSync } from 'node:fs';

const ownDescriptors = '/proc/self/fd';
const closeOnExec = 0o2_000_000;
const standardStreams = 3;

/**
 * Numbers of the sockets, standard streams aside, that a child process would inherit now; none where there is no `/proc`.
 *
 * npm `zookeeper` opens such unless it was built with `SOCK_CLOEXEC_ENABLED`. One that a child holds outlives its closing
 * here, and epoll goes on telling of it under a number that is another's by then: no reconnect while the child runs.
 */
export function inheritableSockets(): readonly number[] {
  try {
    const descriptors = readdirSync(ownDescriptors).map(Number);
    return descriptors.filter((descriptor) => descriptor >= standardStreams && isInheritableSocket(descriptor));
  } catch {
    return [];
  }
}

function isInheritableSocket(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isSocket() && (flagsOf(descriptor) & closeOnExec) === 0;
  } catch {
    // Closed since it was listed, as the listing's own is.
    return false;
  }
}

function flagsOf(descriptor: number): number {
  const [, octal] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
  return Number.parseInt(octal ?? '0', 8);
}
