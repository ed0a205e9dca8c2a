import { SortTarget } from './transport.js';

/**
 * Part of a range request: everything of a key but its value.
 *
 * etcd 3.7 leaves out the lease as well, unless it has to sort by value (etcd's issue 22209); then the answer is in that order, on every version.
 */
export const withoutValue = { keys_only: true, sort_target: SortTarget.Value } as const;
