import type { Host } from '@concordat/core/spi';
import type { Raw } from './raw.js';

type Answer<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string };

interface Channel {
  ask<Value>(operation: { readonly read: () => Value }): Promise<Answer<Value>>;
  destroy(): void;
}

interface Modules {
  dial(
    route: object,
    greeting: object,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly channel: Channel } | { readonly ok: false; readonly failure: string }>;
  create(
    path: string,
    data: Uint8Array,
    mode: string,
    acl: readonly object[],
  ): { readonly read: () => { readonly path: string } };
  remove(path: string, version: 'any'): { readonly read: () => null };
}

let opened = 0;
const acl = [{ scheme: 'world', id: 'anyone', allowed: 31 }];

/** The driver's own transport without anything around it: its channel, which is no public entry of the package. */
export async function rawWire({ host, port }: Host): Promise<Raw> {
  const from = (name: string): string => new URL(`./wire/${name}.js`, import.meta.resolve('@concordat/driver-zk')).href;
  const modules: readonly unknown[] = await Promise.all([import(from('dial')), import(from('operations'))]);
  const { dial, create, remove } = Object.assign({}, ...modules) as Modules;
  const greeting = { identity: null, seen: 0n, timeoutMs: 10_000 };
  const address = { name: host, host, port };
  const dialled = await dial({ address, tls: null }, greeting, AbortSignal.timeout(5_000));
  if (!dialled.ok) throw new Error(dialled.failure);
  const { channel } = dialled;
  const data = Buffer.from('raw');
  const taken = <Value>(answer: Answer<Value>): Value => {
    if (!answer.ok) throw new Error(answer.message);
    return answer.value;
  };
  opened += 1;
  const directory = `/raw-wire-${process.pid}-${opened}`;
  taken(await channel.ask(create(directory, data, 'persistent', acl)));
  const keepAlive = setInterval(() => void channel.ask(create(`${directory}/beat`, data, 'ephemeral', acl)), 2_000);
  const entry = `${directory}/entry-`;
  return {
    create: () => channel.ask(create(entry, data, 'ephemeral-sequential', acl)).then((answer) => taken(answer).path),
    remove: (path) => channel.ask(remove(path, 'any')).then((answer) => void taken(answer)),
    close: async () => {
      clearInterval(keepAlive);
      await Promise.resolve(channel.destroy());
    },
  };
}
