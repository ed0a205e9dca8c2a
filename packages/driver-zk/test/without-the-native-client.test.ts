import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program, programs, run } from './support/program.js';
import { TestServer } from './support/server.js';

const driver = fileURLToPath(new URL('..', import.meta.url));

// As npm leaves it where the native client does not compile: it takes an optional dependency away again.
describe('an installation without npm zookeeper', () => {
  let server: TestServer;
  let folder: string;

  beforeAll(async () => {
    server = await TestServer.start();
    folder = await mkdtemp(join(tmpdir(), 'concordat-installation-'));
    const installed = join(folder, 'node_modules', '@concordat', 'driver-zk');
    await mkdir(installed, { recursive: true });
    await cp(join(driver, 'package.json'), join(installed, 'package.json'));
    await cp(join(driver, 'dist'), join(installed, 'dist'), { recursive: true });
    for (const name of ['@concordat/core', 'rxjs'])
      await symlink(join(driver, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
    await cp(programs, folder, { recursive: true });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('does all that there is to do, since nothing of it is used', async () => {
    const ended = await run(program('open-and-close', folder), JSON.stringify({ port: server.port }));
    expect(ended).toMatchObject({ code: 0, stdout: 'closed\n', stderr: '' });
  });

  it('refuses transport=native, with the remedy', async () => {
    const options = { port: server.port, driverOptions: { transport: 'native' } };
    const { code, stdout, stderr } = await run(program('open-and-close', folder), JSON.stringify(options));
    expect(stderr).toMatch(/\[DRIVER_UNAVAILABLE\].*transport=wire.*npm install zookeeper@7\.3\.0/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});
