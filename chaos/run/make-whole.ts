import type { ClusterMember, StoreCluster } from '@concordat/conformance/servers';
import type { Journal } from '../journal.js';

// A busy machine may keep three servers from agreeing for a while, which is no reason to end a run.
const limitMs = 120_000;

/**
 * Waits until every server serves. One that ended by itself is started again, as an operating system would do, and that is told: it is a fault
 * like others for those that use it.
 *
 * Rejects when one runs and does not serve, or does not stay.
 */
export async function makeWhole(cluster: StoreCluster, journal: Journal, say: (what: string) => void): Promise<void> {
  for (const member of cluster.members) {
    try {
      await member.serves(limitMs);
    } catch (error) {
      if (member.pid !== null) throw error;
      say(`${member.name} ended by itself: ${error instanceof Error ? error.message : String(error)}`);
      await revive(member, journal);
    }
  }
  await cluster.serves(limitMs);
}

async function revive(member: ClusterMember, journal: Journal): Promise<void> {
  const fault = { kind: 'fault', fault: 'a server ended by itself', on: [member.name] } as const;
  journal.write({ ...fault, phase: 'begin' });
  await member.start();
  await member.serves(limitMs);
  journal.write({ ...fault, phase: 'end' });
}
