import { onTestFinished } from 'vitest';
import type { Address, NodeEvent } from '../../../src/connection.js';
import type { Channel } from '../../../src/wire/channel.js';
import { type DialResult, dial } from '../../../src/wire/dial.js';
import type { Greeting, Welcome } from '../../../src/wire/handshake.js';

export interface Dialled {
  readonly channel: Channel;
  readonly welcome: Welcome;
  /** Watch events so far. */
  readonly events: readonly NodeEvent[];
}

export function addressOf(port: number): Address {
  return { name: '127.0.0.1', host: '127.0.0.1', port };
}

/** Dials in the clear, for a new session of 6 s unless the greeting says otherwise. */
export function tryDial(
  address: Address,
  greeting: Partial<Greeting> = {},
  { signal = AbortSignal.timeout(20_000), onEvent = (_event: NodeEvent): void => undefined } = {},
): Promise<DialResult> {
  const route = { address, tls: null };
  return dial(route, { identity: null, seen: 0n, timeoutMs: 6_000, ...greeting }, signal, onEvent);
}

/** A channel to whoever listens there; cut when the test is over. */
export async function dialled(port: number, greeting: Partial<Greeting> = {}): Promise<Dialled> {
  const events: NodeEvent[] = [];
  const result = await tryDial(addressOf(port), greeting, { onEvent: (event) => void events.push(event) });
  if (!result.ok) throw new Error(`not dialled: ${result.failure}`);
  const { channel, welcome } = result;
  onTestFinished(() => channel.destroy());
  return { channel, welcome, events };
}
