import { CoordinationError } from '../errors.js';
import type { WaitOptions } from '../limits.js';
import { checkWait } from '../settings.js';
import type { Consistency } from '../spi/backend.js';

/** What a write expects to find: nothing, exactly this version, or whatever is there. */
export type Expected = 'absent' | 'any' | bigint;

/** Limits of a read, and how fresh it has to be. */
export interface ReadOptions extends WaitOptions {
  /**
   * `linearizable`, the default: includes everything that was answered to anybody before the call. `session`: only never older than what this
   * coordinator saw before, and cheaper on some stores.
   */
  readonly consistency?: Consistency;
}

/** Limits of a write, and what has to be there for it. */
export interface WriteOptions extends WaitOptions {
  /** Default `any`. To be left out, never `undefined`: that is refused, since a missing version must not overwrite whatever is there. */
  readonly expect?: Expected;
}

/** Limits of a deletion, and the version it is for. */
export interface DeletionOptions extends WaitOptions {
  /** Without it, whatever is there is deleted. To be left out, never `undefined`. */
  readonly expect?: bigint;
}

export function checkRead(options: ReadOptions): Consistency {
  checkWait(options, ['consistency']);
  const consistency: unknown = options.consistency ?? 'linearizable';
  if (consistency === 'linearizable' || consistency === 'session') return consistency;
  throw new CoordinationError('INVALID_ARGUMENT', 'consistency is "linearizable" or "session"');
}

export function checkWrite(options: WriteOptions): Expected {
  checkWait(options, ['expect']);
  if (!('expect' in options)) return 'any';
  const { expect } = options;
  if (expect === 'absent' || expect === 'any' || isVersion(expect)) return expect;
  throw new CoordinationError(
    'INVALID_ARGUMENT',
    'expect is "absent", "any" or a version, which is a bigint from 0 on',
  );
}

export function checkDelete(options: DeletionOptions): bigint | undefined {
  checkWait(options, ['expect']);
  if (!('expect' in options) || isVersion(options.expect)) return options.expect;
  throw new CoordinationError('INVALID_ARGUMENT', 'expect is a version, which is a bigint from 0 on');
}

function isVersion(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= 0n;
}
