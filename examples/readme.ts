import { setTimeout } from 'node:timers/promises';
import { createCoordinator } from 'concordat';

const coordinator = createCoordinator(process.env['COORDINATOR_URL'] ?? 'memory:demo');
const lock = coordinator.lock('reports/nightly');

await lock.with(async (grant) => {
  console.log(`alone, with token ${grant.token}`); // send it along with every write
  await setTimeout(50, undefined, { signal: grant.signal }); // work that ends at once when the lock is lost
  grant.assertHeld(); // throws when it is over, by the clock as well
});

const grant = await lock.tryAcquire(); // undefined when somebody is in the line
console.log(grant === undefined ? 'taken' : `free again, with token ${grant.token}`);
await coordinator.close(); // releases what is held
