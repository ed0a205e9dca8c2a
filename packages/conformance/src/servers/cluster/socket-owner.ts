import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * Which of these processes of this machine holds the other end of a connection to us; `null` when none of them does, or no longer.
 *
 * Linux only: the kernel's table of sockets tells the number of the socket, and the open files of a process tell whether it is its own.
 */
export function ownerOf(socket: Socket, pids: readonly number[]): number | null {
  const { remotePort, localPort } = socket;
  if (remotePort === undefined || localPort === undefined) return null;
  const inode = inodeOf(remotePort, localPort);
  return inode === null ? null : (pids.find((pid) => holds(pid, `socket:[${inode}]`)) ?? null);
}

/** Whether this machine can tell. */
export const canTellOwners = process.platform === 'linux';

// `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`, addresses as `0100007F:1F90`. A Java program speaks
// IPv4 over sockets of IPv6.
function inodeOf(port: number, peerPort: number): string | null {
  const ends = [port, peerPort].map((number) => `:${number.toString(16).toUpperCase().padStart(4, '0')}`);
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n')) {
      const [, local = '', remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
      if (local.endsWith(ends[0] ?? '') && remote.endsWith(ends[1] ?? '')) return inode;
    }
  }
  return null;
}

function holds(pid: number, file: string): boolean {
  try {
    const folder = `/proc/${String(pid)}/fd`;
    return readdirSync(folder).some((name) => linkOf(`${folder}/${name}`) === file);
  } catch {
    return false;
  }
}

// A file may be closed between the listing and the look.
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
