import type { EventLog } from './event-log.js';
import type { Layout } from './layout.js';
import type { Leaving } from './lines/leaving.js';
import type { OwnSessions } from './own-sessions.js';
import type { Requests } from './requests.js';
import type { SharedWatches } from './shared-watches.js';
import type { Clock } from './spi/clock.js';
import type { Session } from './spi/session.js';

/** What every recipe of one coordinator works with. */
export interface Context {
  readonly session: Session;
  readonly ownSessions: OwnSessions;
  readonly clock: Clock;
  readonly requests: Requests;
  readonly watches: SharedWatches;
  readonly layout: Layout;
  readonly leaving: Leaving;
  readonly events: EventLog;
}
