import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { DataDirectory } from '../../../src/servers/data-directory.js';
import { ServerProcess } from '../../../src/servers/server-process.js';

// Run by processes.test.ts in a process of its own.
it('starts a server, freezes it and is killed', async () => {
  const directory = new DataDirectory('victim');
  const server = new ServerProcess(directory);
  server.start({ file: 'sleep', args: ['600'] });
  await server.freeze();
  const { VICTIM_REPORT = '' } = process.env;
  writeFileSync(VICTIM_REPORT, JSON.stringify({ pid: server.pid, root: directory.root }));
  process.kill(process.pid, 'SIGKILL');
});
