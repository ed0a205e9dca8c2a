import { inspect } from 'node:util';
import { etcd } from '@concordat/driver-etcd';
import { memory } from '@concordat/driver-memory';
import { zookeeper } from '@concordat/driver-zk';
import { CoordinationError, type CoordinatorOptions, createCoordinator } from 'concordat';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadDriver, type Scheme, schemes } from '../src/schemes.js';

function open(url: string, options?: CoordinatorOptions) {
  const coordinator = createCoordinator(url, options);
  onTestFinished(() => coordinator.close());
  return coordinator;
}

function refusal(work: () => unknown): CoordinationError {
  try {
    work();
  } catch (error) {
    if (CoordinationError.is(error)) return error;
  }
  throw new Error('nothing was refused');
}

describe('createCoordinator', () => {
  it('opens the memory backend by its URL', async () => {
    const coordinator = open('memory:front-door');
    await coordinator.ready({ timeoutMs: 5_000 });
    expect(await coordinator.lock('a').with((grant) => grant.token > 0n)).toBe(true);
  });

  it('leads coordinators of one memory URL to one store', async () => {
    const held = await open('memory:shared').lock('a').acquire();
    expect(await open('memory:shared').lock('a').tryAcquire()).toBeUndefined();
    expect(await open('memory:another').lock('a').tryAcquire()).toBeDefined();
    await held.release();
  });

  it.each([
    ['zookeeper', zookeeper],
    ['etcd', etcd],
    ['etcds', etcd],
    ['memory', memory],
  ])('serves %s: with its driver, which knows the same options', async (name, driver) => {
    const scheme = schemes[name];
    expect(await scheme?.load()).toBe(driver);
    expect(driver.schemes).toContain(name);
    expect(scheme?.options).toEqual(driver.options);
  });

  it('lets options given in code win over the URL', async () => {
    const url = 'memory:merged?sessionTimeout=3s&allowShortSession=true';
    const granted = async (options?: CoordinatorOptions): Promise<number> => {
      const coordinator = open(url, options);
      await coordinator.ready({ timeoutMs: 5_000 });
      return await new Promise((resolve) => coordinator.session$.subscribe(({ timeoutMs }) => resolve(timeoutMs)));
    };
    expect(await granted()).toBe(3_000);
    expect(await granted({ sessionTimeoutMs: 7_000 })).toBe(7_000);
  });

  it('takes hosts given in code instead of those of the URL', async () => {
    const coordinator = open('etcd://127.0.0.1:1', { hosts: ['127.0.0.1:2'], sessionTimeoutMs: 6_000 });
    await expect(coordinator.ready({ timeoutMs: 300 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it.each([
    ['no scheme', 'localhost:2379', /unknown scheme "localhost"/],
    ['an unknown scheme', 'redis://localhost', /known are zookeeper, zookeepers, etcd, etcds, memory/],
    ['an unknown option', 'etcd://a?sesionTimeout=3s', /did you mean "sessionTimeout"/],
    ['a session too short', 'etcd://a?sessionTimeout=3s', /allowShortSession/],
    ['a bad port', 'zookeeper://a:70000', /port from 1 to 65535/],
    ['a bad namespace', 'etcd://a/b//c', /segments/],
  ])('refuses %s at once', (_what, url, message) => {
    const error = refusal(() => createCoordinator(url));
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).toMatch(message);
  });

  it('refuses an unknown option in code, naming the nearest', () => {
    const options = { sessionTimeoutMS: 8_000 } as CoordinatorOptions;
    expect(refusal(() => createCoordinator('memory:', options)).message).toContain('sessionTimeoutMs');
  });

  it.each([
    'etcd://user:s3cret@a:99999/n',
    'etcd://user:s3cret@a/n?x=1',
    'etcd://user:s3cret@a b/n',
    'zookeeper://user:s3cret@/n',
    'etcd://user:s3cret?@a/n',
    'etcd://user:s3/cret@a/n',
    'etcd://user:s3#cret@a/n',
    'etcd://user:1?s3cret@a/n',
    'etcd://user:1/s3cret@a/n//',
    'nothing://user:s3cret@a',
  ])('keeps the password out of the refusal of %s', (url) => {
    const error = refusal(() => createCoordinator(url));
    expect(inspect(error, { depth: 9 }).replace(/\n\s+at .*/g, '')).not.toMatch(/s3|cret/);
  });
});

describe('loadDriver', () => {
  const scheme = (load: Scheme['load']): Scheme => ({
    defaultPort: 1,
    secure: false,
    options: [],
    packageName: '@concordat/driver-none',
    load,
  });

  it('names the package to install when it is missing', async () => {
    const absent: string = '@concordat/driver-none';
    const missing = scheme(async () => {
      const message = `Cannot find package '${absent}' imported from index.js`;
      throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
    });
    await expect(loadDriver('none', missing)).rejects.toThrow(
      /^\[DRIVER_UNAVAILABLE\].*npm install @concordat\/driver-none$/,
    );
  });

  it('tells a package that is broken from one that is missing', async () => {
    const broken = scheme(() => Promise.reject(new SyntaxError('bad')));
    const error: unknown = await loadDriver('none', broken).catch((reason: unknown) => reason);
    expect(CoordinationError.is(error, 'DRIVER_UNAVAILABLE') && error.cause).toBeInstanceOf(SyntaxError);
    expect(String(error)).not.toContain('npm install');
  });

  it("passes a driver's own refusal on as it is", async () => {
    const own = new CoordinationError('DRIVER_UNAVAILABLE', 'rebuild it');
    await expect(
      loadDriver(
        'none',
        scheme(() => Promise.reject(own)),
      ),
    ).rejects.toBe(own);
  });
});
