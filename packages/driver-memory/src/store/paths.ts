/** The directory a key lies in; empty at the top. */
export function directoryOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/** The last segment of a key. */
export function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** The key of `name` in `directory`. */
export function joinPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}
