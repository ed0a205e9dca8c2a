import { connect } from 'node:tls';
import type { Address, Identity } from '../connection.js';
import type { Route } from './dial.js';
import { refusalOf } from './standing.js';

const nobody: Identity = { id: '1', password: '00'.repeat(16) };
const alert = /^ERR_SSL_.*_ALERT_/;

/**
 * Whether a server that closed a connection without a word speaks TLS where it was not asked to, or ZooKeeper in the clear where TLS was
 * wanted. Asked over a connection of its own, which tells nothing of this client and believes nothing. Never rejects.
 */
export async function isOfOtherKind({ address, tls }: Route, signal: AbortSignal): Promise<boolean> {
  if (tls === null) return speaksTls(address, signal);
  const refused = await refusalOf({ address, tls: null }, { identity: nobody, seen: 0n }, 0, signal);
  return refused === null || refused.failure === 'expired';
}

function speaksTls({ host, port }: Address, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false });
    const end = (answer: boolean): void => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      resolve(answer);
    };
    const abort = (): void => end(false);
    socket.once('secureConnect', () => end(true));
    socket.on('error', (error: NodeJS.ErrnoException) => end(alert.test(error.code ?? '')));
    socket.once('close', abort);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}
