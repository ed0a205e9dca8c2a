import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import type { Host } from '@concordat/core/spi';
import { isAnswerInTls } from './tls-failures.js';

/** Whether a server answers to the beginning of TLS. Nothing that it answers is trusted. Never rejects. */
export function speaksTls({ host, port }: Host, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTls({ host, port, ALPNProtocols: ['h2'] });
    const end = (answer: boolean): void => {
      resolve(answer);
      socket.destroy();
    };
    socket.once('secureConnect', () => end(true));
    socket.on('error', (error: Error) => end(isAnswerInTls(error)));
    socket.once('close', () => end(false));
    whenOver(signal, () => end(false));
  });
}

/** Whether a server greets in HTTP/2 without TLS. It is sent the greeting of that protocol and nothing else. Never rejects. */
export function speaksInTheClear(address: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connectHttp2(`http://${address}`);
    const end = (answer: boolean): void => {
      resolve(answer);
      session.destroy();
    };
    session.once('remoteSettings', () => end(true));
    session.on('error', () => end(false));
    session.once('close', () => end(false));
    whenOver(signal, () => end(false));
  });
}

function whenOver(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
}
