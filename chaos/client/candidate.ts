import { setTimeout as delay } from 'node:timers/promises';
import { CoordinationError, type Election } from 'concordat';
import { nowMs } from '../clock.js';
import { isOfFaults } from '../fault-codes.js';
import { type Context, isSettled } from './context.js';
import { useGrant } from './hold.js';

/** Stands for election, leads for a while, and stands again; in between it tells what it sees of others. */
export async function stand(context: Context, name: string, election: Election<string>): Promise<void> {
  const random = context.random(`election/${name}`);
  while (!isSettled(context)) {
    const calledAt = nowMs();
    const work = async (grant: Parameters<Parameters<typeof election.lead>[0]>[0]): Promise<void> => {
      const endsAt = nowMs() + random.between(3_000, 12_000);
      const isOver = (): boolean => nowMs() >= endsAt || isSettled(context);
      await useGrant(context, grant, { primitive: 'election', name, permits: 1, calledAt }, isOver);
    };
    const options = { value: context.name, requeue: false, signal: context.settle };
    await election.lead(work, options).catch((reason: unknown) => {
      // Losing the office is no failure here: the journal has it. Anything but what faults bring about ends this process, which is one.
      if (!isSettled(context) && !(CoordinationError.is(reason) && isOfFaults(reason.code))) throw reason;
    });
    await delay(random.between(0, 50));
  }
}
