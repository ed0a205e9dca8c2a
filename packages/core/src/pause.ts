import type { Clock } from './spi/clock.js';
import type { Session } from './spi/session.js';

/** Passes `ms` on the clock, or less when the coordinator closes. */
export async function pause(session: Session, clock: Clock, ms: number): Promise<void> {
  let stop: () => void = () => undefined;
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(resolve, ms);
    stop = session.onClose(() => {
      timer.cancel();
      resolve();
    });
  });
  stop();
}
