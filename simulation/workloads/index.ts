import type { Random } from '../engine/random.js';
import type { World } from '../world/world.js';
import { barriers } from './barriers.js';
import { configs } from './configs.js';
import { doubleBarriers } from './double-barriers.js';
import { elections } from './elections.js';
import { groups } from './groups.js';
import { locks, readWriteLocks, semaphores } from './lines.js';
import { once } from './once.js';
import { rendezvous } from './rendezvous.js';
import type { Workload } from './workload.js';

/** Every workload by its name, as it is set up in a world. */
export const workloads: Readonly<Record<string, (world: World, random: Random) => Workload>> = {
  lock: locks,
  'read-write lock': readWriteLocks,
  semaphore: semaphores,
  election: elections,
  group: groups,
  config: configs,
  once,
  barrier: barriers,
  'double barrier': doubleBarriers,
  rendezvous,
};
