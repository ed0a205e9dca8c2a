import { type ConnectionOptions, connect } from 'node:tls';
import type { Host } from '@concordat/core/spi';

const answerLimitMs = 5_000;

/**
 * What a TLS server answers first to a request, and rejects with the reason when either side refuses the other.
 *
 * Only an answer tells that a server accepted the client's certificate: in TLS 1.3 the client's handshake is over before that.
 */
export function answerOverTls(host: Host, options: ConnectionOptions, request: string | Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: host.host, port: host.port, ...options });
    socket.setTimeout(answerLimitMs, () => socket.destroy(new Error('no answer')));
    socket.on('secureConnect', () => socket.write(request));
    socket.on('data', (bytes: Buffer) => {
      resolve(bytes);
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed without an answer')));
  });
}

/** Whether a client refused a server because of the authority that its certificate is from. */
export function isUntrusted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(UNABLE_TO_|SELF_SIGNED)/.test(String(error.code));
}
