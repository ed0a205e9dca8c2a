import type { FailureCode, NodeStat } from '../connection.js';

/** A stat as the native client gives it. zxids are numbers, exact below 2^53: the leader's epoch stays below 2,097,152. */
export interface NativeStat {
  readonly czxid: number;
  readonly mzxid: number;
  /** The last transaction in which a child came or went. */
  readonly pzxid: number;
  readonly version: number;
  readonly dataLength: number;
  /** Lower-case hex, `'0'` for none. */
  readonly ephemeralOwner: string;
}

type Callback<Arguments extends unknown[]> = (code: number, message: string, ...rest: Arguments) => void;

/**
 * What is used of the native object below the npm package's wrapper.
 *
 * Left out on purpose: `a_get_acl` (crashes on any error), `aw_*` watches (leak the client, abort on close) and the wrapper's own
 * methods (a `util.inspect` of every buffer). A request returns a code at once; when that is not 0 its callback never comes.
 */
export interface NativeHandle {
  readonly state: number;
  readonly client_id: string;
  readonly client_password: string;
  readonly timeout: number;
  emit: (event: string, native: unknown, argument: unknown) => void;
  init(options: Readonly<Record<string, unknown>>): unknown;
  close(): void;
  set_servers(servers: string): number;
  a_create(path: string, data: Buffer, flags: number, callback: Callback<[path: string]>): number;
  a_get(path: string, watch: boolean, callback: Callback<[stat: NativeStat, data: Buffer | null]>): number;
  a_exists(path: string, watch: boolean, callback: Callback<[stat: NativeStat]>): number;
  a_get_children2(path: string, watch: boolean, callback: Callback<[names: string[] | null, stat: NativeStat]>): number;
  a_set(path: string, data: Buffer, version: number, callback: Callback<[stat: NativeStat]>): number;
  a_delete_(path: string, version: number, callback: Callback<[]>): number;
}

/** Values of {@link NativeHandle.state}. `severed`: the C client closed its socket and told nobody. */
export const nativeState = { down: 0, connected: 3, severed: 999 } as const;

/** Codes of the `close` event. */
export const closeCode = { expired: -112, authFailed: -113 } as const;

const failureCodes: ReadonlyMap<number, FailureCode> = new Map([
  [-2, 'lost'],
  [-4, 'lost'],
  [-5, 'lost'],
  [-7, 'lost'],
  [-9, 'lost'],
  [-116, 'lost'],
  [-118, 'lost'],
  [-8, 'bad-arguments'],
  [-101, 'no-node'],
  [-102, 'no-auth'],
  [-103, 'bad-version'],
  [-108, 'no-children-for-ephemerals'],
  [-110, 'node-exists'],
  [-111, 'not-empty'],
  [-112, 'expired'],
  [-115, 'auth-failed'],
]);

/** Of a reply; all that the C client says when a connection ends are ambiguous alike. */
export function failureCode(code: number): FailureCode {
  return failureCodes.get(code) ?? 'other';
}

export function toStat(stat: NativeStat): NodeStat {
  return {
    created: BigInt(stat.czxid),
    modified: BigInt(stat.mzxid),
    version: stat.version,
    owner: stat.ephemeralOwner === '0' ? null : stat.ephemeralOwner,
    dataLength: stat.dataLength,
  };
}
