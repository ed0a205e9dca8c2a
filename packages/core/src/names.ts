import { CoordinationError } from './errors.js';

const longestName = 128;
const longestPath = 1024;
// What ZooKeeper refuses in a path; refused alike everywhere so that a change of backend changes nothing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const refusedInPath = /[\u0000-\u001F\u007F-\u009F\uD800-\uF8FF\uFFF0-\uFFFF]/;

/**
 * The one ASCII path segment of a queue's name: percent-encoded, so that lock `a` and lock `a/b` are independent
 * (Go's scans for a prefix are not path-aware, and Curator takes every child of a path).
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` unless it is a well-formed string of 1 to 128 characters.
 */
export function encodeName(name: string): string {
  if (typeof name !== 'string') throw invalid('a name must be a string');
  if (name.length === 0 || name.length > longestName)
    throw invalid(`a name must have 1 to ${String(longestName)} characters, this one has ${String(name.length)}`);
  if (!isWellFormed(name)) throw invalid('a name must be well-formed Unicode');
  const encoded = encodeURIComponent(name).replace(/[!'()*~]/g, percent);
  return /^\.{1,2}$/.test(encoded) ? encoded.replaceAll('.', '%2E') : encoded;
}

/** The name behind a segment that {@link encodeName} made. */
export function decodeName(segment: string): string {
  return decodeURIComponent(segment);
}

/** Whether a string has a UTF-8 form: it holds no half of a surrogate pair by itself. */
export function isWellFormed(value: string): boolean {
  // Every Node we support has it, which the types of this language level do not know.
  return (value as string & { isWellFormed(): boolean }).isWellFormed();
}

/**
 * Checks a path that is stored as it is: segments joined by `/`, none empty, `.` or `..`.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT`
 */
export function checkPath(path: string, what: string): string {
  if (typeof path !== 'string') throw invalid(`a ${what} must be a string`);
  if (path.length === 0 || path.length > longestPath)
    throw invalid(`a ${what} must have 1 to ${String(longestPath)} characters`);
  if (refusedInPath.test(path)) throw invalid(`a ${what} must not contain control, private-use or astral characters`);
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.' || segment === '..')
      throw invalid(`a ${what} must not have empty, "." or ".." segments`);
  }
  return path;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function invalid(message: string): CoordinationError {
  return new CoordinationError('INVALID_ARGUMENT', message);
}
