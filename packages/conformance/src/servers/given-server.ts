import type { Host } from '@concordat/core/spi';
import type { Server } from './server.js';
import type { StoreKind } from './store-kind.js';

// It runs already, so that there is nothing to wait for but the network.
const answerLimitMs = 5_000;

/** A server that somebody else runs: it can be used and its links broken, but it cannot be frozen or killed from here. */
export async function givenServer(kind: StoreKind, url: string): Promise<Server> {
  const host = hostOf(kind, url);
  await kind.identify(host, answerLimitMs);
  const refuse = (): never => {
    throw new Error(
      `this test freezes, kills or restores ${kind.name}, which is not possible with the server given in ${kind.urlVariable}: ` +
        'unset it, so that a server of its own is started',
    );
  };
  const refuseLater = async (): Promise<never> => refuse();
  return {
    host,
    door: host,
    control: {
      freeze: refuse,
      thaw: refuse,
      kill: refuseLater,
      start: refuseLater,
      wipe: refuseLater,
      backUp: refuseLater,
    },
    stop: () => Promise.resolve(),
  };
}

function hostOf(kind: StoreKind, url: string): Host {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || parsed.protocol !== `${kind.scheme}:` || parsed.hostname === '')
    throw new Error(`${kind.urlVariable} has to look like ${kind.scheme}://127.0.0.1:${kind.defaultPort}`);
  return { host: parsed.hostname.replace(/^\[|\]$/g, ''), port: Number(parsed.port || kind.defaultPort) };
}
