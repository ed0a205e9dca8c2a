import { setTimeout } from 'node:timers/promises';
import type { Coordinator, Grant } from 'concordat';
import type { Row } from '../report.js';
import { open, type Stage } from '../stage.js';
import { timed } from '../statistics.js';

/** Requests and notifications that one release costs everybody together, with a short and with a long line. */
export async function measurePerRelease(stage: Stage): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const costs: string[] = [];
  for (const waiters of [5, 500]) {
    const { requests, notifications, drainMs } = await drain(stage, waiters);
    const value = `${requests.toFixed(2)} requests, ${notifications.toFixed(2)} notifications`;
    costs.push(value);
    rows.push({ what: `per release, ${waiters} waiters in another session`, value });
    rows.push({ what: '  the whole line granted and released', value: `${drainMs.toFixed(0)} ms` });
  }
  rows.push({
    what: 'same cost with 5 and with 500',
    value: costs[0] ?? '',
    bar: 'the same',
    met: costs[0] === costs[1],
  });
  return rows;
}

async function drain(stage: Stage, waiters: number) {
  await using holding = await open(stage.url);
  await using waiting = await open(stage.url);
  const name = `drain ${waiters}`;
  const held = await holding.lock(name).acquire();
  const order: Promise<Grant>[] = [];
  for (let index = 0; index < waiters; index += 1) order.push(waiting.lock(name).acquire());
  await quiet(waiting.traffic);
  await held.release();
  // Counted between two releases in full swing: who held for a while has also watched the own entry.
  let holder = await next(order);
  const { requests, notifications } = waiting.traffic;
  const drainMs = await timed(async () => {
    while (order.length > 0) {
      await holder.release();
      holder = await next(order);
    }
  });
  const { traffic } = waiting;
  const releases = waiters - 1;
  const cost = {
    drainMs,
    requests: (traffic.requests - requests) / releases,
    notifications: (traffic.notifications - notifications) / releases,
  };
  await holder.release();
  return cost;
}

// They entered all at once: whoever the store saw first is granted first.
async function next(order: Promise<Grant>[]): Promise<Grant> {
  const { grant, waiter } = await Promise.race(order.map(async (waiter) => ({ grant: await waiter, waiter })));
  void order.splice(order.indexOf(waiter), 1);
  return grant;
}

/** Until nothing more goes over the wire: everybody stands in the line and watches the one before. */
async function quiet(traffic: Coordinator['traffic']): Promise<void> {
  for (let seen = -1; seen !== traffic.requests; ) {
    seen = traffic.requests;
    await setTimeout(500);
  }
}
