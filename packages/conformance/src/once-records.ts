import { createHash } from 'node:crypto';
import type { StoreClient } from './store-client.js';
import { textOf } from './store-client.js';

/** Where docs/spec/idempotency.md has the record of a key of the gate `gate`; the key is one that needs no encoding. */
export function recordOf(key: string): string {
  return `once/gate/${shardOf(key)}/${key}`;
}

/** The line of those who run that key. */
export function lineOf(key: string): string {
  return `once/gate/lock/${key}`;
}

export function shardOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 2);
}

/** Has the directory of a key's record made, so that making it is no part of what is broken later. */
export async function makeShard(store: StoreClient, key: string): Promise<void> {
  const names = Array.from({ length: 10_000 }, (_, index) => `beside-${String(index)}`);
  const beside = names.find((name) => shardOf(name) === shardOf(key)) ?? key;
  await store.store(recordOf(beside), recordBytes({ state: 'withdrawn', expiresAt: 0 }));
}

/** The bytes of a record, as another client would write them. */
export function recordBytes(header: object, value = ''): string {
  return `${JSON.stringify({ token: '1', at: Date.now(), ...header })}\n${value}`;
}

/** The line of JSON, and what follows it. */
export async function readRecord(
  store: StoreClient,
  key: string,
): Promise<{ readonly header: Readonly<Record<string, unknown>>; readonly value: string } | null> {
  const record = textOf(await store.get(recordOf(key)));
  if (record === null) return null;
  const end = record.indexOf('\n');
  return { header: JSON.parse(record.slice(0, end)) as Record<string, unknown>, value: record.slice(end + 1) };
}

/** Waits for nothing, a record, or a record in that state. */
export async function stateOf(store: StoreClient, key: string): Promise<unknown> {
  return (await readRecord(store, key))?.header['state'];
}
