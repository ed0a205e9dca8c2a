// A process that uses a coordinator, and ends because nothing keeps it alive any more.
import { open } from './open.mjs';

const coordinator = open(JSON.parse(process.argv[2]));
await coordinator.config('a').set(1);
await coordinator.close();
console.log('closed');
