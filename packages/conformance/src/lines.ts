import type { Place } from '@concordat/core/spi';
import type { Fixture } from './fixture.js';
import type { StoreClient } from './store-client.js';

export async function twoStores(fixture: Fixture): Promise<[StoreClient, StoreClient]> {
  return Promise.all([fixture.store(), fixture.store()]);
}

/** Enters one after the other, the stores taking turns. */
export async function lineUp(stores: readonly StoreClient[], count: number): Promise<Place[]> {
  const places: Place[] = [];
  for (let index = 0; index < count; index++)
    places.push(required(await stores[index % stores.length]?.enter('lock/a')));
  return places;
}

export function enterMany(store: StoreClient, count: number): Promise<Place[]> {
  return Promise.all(Array.from({ length: count }, () => store.enter('lock/a')));
}

export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}
