import type { Harness, Link, Operator, ServerControl, World } from '@concordat/conformance';
import { type MemoryLink, MemoryStore, memory } from '../src/index.js';

const joined = (namespace: string, key: string): string => (namespace === '' ? key : `${namespace}/${key}`);

/** Makes a store of this process the subject of the conformance suite. */
export const harness: Harness = {
  name: 'memory',
  driver: memory,
  sessionTimeoutMs: 3_000,
  costs: {
    acquire: { requests: 1, writes: 1, notifications: 0 },
    release: { requests: 1, writes: 1, notifications: 0 },
    handOver: { requests: 2, writes: 0, notifications: 1 },
  },
  start: async () => worldOf(new MemoryStore()),
};

function worldOf(store: MemoryStore): World {
  return {
    link: async () => linkOver(store.link(), (link) => store.unlink(link)),
    server: serverOf(store),
    operator: operatorOf(store),
    stop: async () => store.close(),
  };
}

function linkOver(link: MemoryLink, unlink: (link: MemoryLink) => void): Link {
  return {
    options: { storeName: link.address },
    cut: () => link.cut(),
    flap: () => link.flap(),
    blackhole: () => link.blackhole(),
    swallowReplies: () => link.swallowReplies(),
    holdRequests: () => link.holdRequests(),
    deliverHeld: () => link.deliverHeld(),
    heal: () => link.heal(),
    get wire() {
      return link.wire;
    },
    close: async () => unlink(link),
  };
}

function serverOf(store: MemoryStore): ServerControl {
  return {
    freeze: () => store.freeze(),
    thaw: () => store.thaw(),
    kill: async () => store.kill(),
    start: async () => store.start(),
    wipe: async () => store.wipe(),
    backUp: async () => {
      const restore = store.backUp();
      return { restore: async () => restore() };
    },
  };
}

function operatorOf(store: MemoryStore): Operator {
  return {
    keys: async (namespace) => {
      const prefix = joined(namespace, '');
      return store.keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    },
    entries: async (namespace, dir) => store.entries(joined(namespace, dir)),
    deleteEntry: async (namespace, dir, name) => store.deleteEntry(joined(namespace, dir), name),
    write: async (namespace, key, value) => store.write(joined(namespace, key), value),
    expireSession: async (id) => store.expireSession(id),
    writeSteadily: async () => writeSteadily(store),
  };
}

// A client of its own, which sends the next write when the last one is answered.
function writeSteadily(store: MemoryStore): () => Promise<void> {
  const link = store.link();
  const request = { key: 'elsewhere/steadily', value: new Uint8Array([1]), expect: 'any', session: null } as const;
  let id = 0;
  const write = (): void => connection.send({ id: ++id, operation: 'put', request });
  const connection = link.connect({ opened: write, received: write, closed: () => undefined });
  return async () => store.unlink(link);
}
