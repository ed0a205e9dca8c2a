// `node server-version.mjs etcd|zookeeper`: starts a server as the tests do, and prints the version that it answers with.
import { once } from 'node:events';
import { connect } from 'node:net';
import { startEtcd, startZooKeeper } from '../../packages/conformance/dist/servers/index.js';

const answerLimitMs = 5_000;

const ways = {
  etcd: {
    start: startEtcd,
    version: async ({ host, port }) => {
      const answer = await fetch(`http://${host}:${port}/version`, { signal: AbortSignal.timeout(answerLimitMs) });
      return (await answer.json()).etcdserver;
    },
  },
  zookeeper: {
    start: startZooKeeper,
    version: async ({ host, port }) => {
      const socket = connect({ host, port, timeout: answerLimitMs });
      let said = '';
      socket.on('connect', () => socket.write('srvr'));
      socket.on('timeout', () => socket.destroy(new Error('no answer to srvr')));
      socket.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      await once(socket, 'close');
      return /version: ([\d.]+)/.exec(said)?.[1];
    },
  },
};

const way = ways[process.argv[2]];
const node = await way.start();
try {
  console.log(await way.version(node.door));
} finally {
  await node.stop();
}
