import { connect } from 'node:net';
import type { Host } from '@concordat/core/spi';

// A server that is still starting accepts connections that it never answers; the next one is.
const answerLimitMs = 300;

/** Asks ZooKeeper one of its four-letter commands and resolves with the whole answer. */
export function fourLetterWord(host: Host, word: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: host.host, port: host.port });
    socket.setTimeout(answerLimitMs, () => socket.destroy(new Error(`no answer to ${word}`)));
    socket.on('connect', () => socket.write(word));
    socket.on('data', (bytes) => {
      answer += bytes.toString('utf8');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
