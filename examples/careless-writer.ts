// A leader that never asks whether it still leads: it takes the lock once, and writes for ever with the fence it was given then.
import { setTimeout } from 'node:timers/promises';
import { createCoordinator } from 'concordat';
import { Client } from 'pg';
import { FencedLedger } from './fenced-ledger.js';

const [account = 'account'] = process.argv.slice(2);
const database = new Client({ connectionString: process.env['DATABASE_URL'] });
await database.connect();
const ledger = new FencedLedger(database);
const coordinator = createCoordinator(process.env['COORDINATOR_URL'] ?? 'memory:ledger');
const { fence } = await coordinator.lock(account).acquire();

let accepted = true;
for (let amount = 1; accepted; amount += 1) {
  accepted = await ledger.append(account, amount, fence);
  console.log(accepted ? `accepted ${amount}` : `refused ${amount}`);
  await setTimeout(50);
}
await coordinator.close();
await database.end();
