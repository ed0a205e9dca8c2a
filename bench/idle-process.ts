import { setTimeout } from 'node:timers/promises';
import { open } from './stage.js';

// `node --expose-gc idle-process.js URL SECONDS`: holds a lock and does nothing else; prints what that takes of a core, in percent.
const [url = '', seconds = ''] = process.argv.slice(2);
const coordinator = await open(url);
const grant = await coordinator.lock('idle').acquire();
await setTimeout(5_000);
// What loading and connecting left behind is collected sooner or later, and is no cost of being idle.
globalThis.gc?.();
const before = process.cpuUsage();
await setTimeout(Number(seconds) * 1_000);
const { user, system } = process.cpuUsage(before);
grant.assertHeld();
console.log(String((user + system) / 10_000 / Number(seconds)));
await coordinator.close();
