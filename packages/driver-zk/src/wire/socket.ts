import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect as connectTls } from 'node:tls';
import type { Tls } from '@concordat/core/spi';
import type { Address } from '../connection.js';

/**
 * Opens a socket to one numeric address, over TLS where `tls` says how; never in the clear instead. Resolves with the error of a
 * connection that could not be made.
 *
 * The certificate must be for `tls.serverName`, or for the host as it was given, whatever address it was found at.
 */
export function openSocket(
  address: Address,
  tls: Tls | null,
  signal: AbortSignal,
): Promise<{ readonly socket: Socket } | { readonly error: NodeJS.ErrnoException }> {
  return new Promise((resolve) => {
    const { host, port } = address;
    const socket =
      tls === null ? connectTcp({ host, port }) : connectTls({ host, port, ...expecting(tls, address.name) });
    socket.setNoDelay(true);
    const opened = tls === null ? 'connect' : 'secureConnect';
    const settle = (result: Parameters<typeof resolve>[0]): void => {
      signal.removeEventListener('abort', abort);
      socket.off('close', closed).off(opened, open);
      if ('error' in result) socket.destroy();
      // An error before the next owner listens must not be an uncaught one.
      else socket.on('error', () => undefined).off('error', fail);
      resolve(result);
    };
    const open = (): void => settle({ socket });
    // Stays on a socket that failed: it may fail again, with nobody left to tell.
    const fail = (error: NodeJS.ErrnoException): void => settle({ error });
    const closed = (): void => fail(new Error('closed before it was open'));
    const abort = (): void => fail(new Error('given up'));
    signal.addEventListener('abort', abort);
    socket.on('error', fail).on('close', closed).on(opened, open);
    if (signal.aborted) abort();
  });
}

function expecting(tls: Tls, dialled: string): ConnectionOptions {
  const expected = tls.serverName ?? dialled;
  return {
    secureContext: tls.material().context,
    // An address is no name for SNI, and is looked for among the certificate's addresses.
    ...(isIP(expected) === 0 ? { servername: expected } : {}),
    checkServerIdentity: (_host, certificate) => checkServerIdentity(expected, certificate),
    rejectUnauthorized: true,
  };
}
