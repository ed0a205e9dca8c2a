import type { Traffic } from '@concordat/core/spi';

/** Counted where requests are handed to the client and events are taken from it. */
export class TrafficCount implements Traffic {
  requests = 0;
  heartbeats = 0;
  notifications = 0;
}
