import { isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import type { TlsMaterial } from '@concordat/core/spi';
import { WrongNameError } from './tls-failures.js';

/**
 * Opens TLS on a connection, for HTTP/2; rejects unless the server proves to be `name`.
 *
 * @param failed told of every error, also later: in TLS 1.3 a server says only after the handshake that it refuses the client's certificate.
 */
export function secureSocket(
  socket: Socket,
  name: string,
  { context }: TlsMaterial,
  failed: (error: Error) => void,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const options = {
      socket,
      host: name,
      secureContext: context,
      ALPNProtocols: ['h2'],
      checkServerIdentity: (asked: string, certificate: Parameters<typeof checkServerIdentity>[1]) => {
        if (checkServerIdentity(asked, certificate) === undefined) return undefined;
        return new WrongNameError(`its certificate is for ${namesOf(certificate)}, not for ${asked}`);
      },
    };
    // In TLS an address cannot be asked for by name.
    const secured = connect(isIP(name) === 0 ? { ...options, servername: name } : options, () => resolve(secured));
    secured.on('error', (error: Error) => {
      failed(error);
      reject(error);
    });
    secured.once('close', () => reject(new Error('the connection was closed')));
  });
}

function namesOf({ subject, subjectaltname }: Parameters<typeof checkServerIdentity>[1]): string {
  return subjectaltname ?? String(subject.CN);
}
