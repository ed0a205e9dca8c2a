import type { Key } from '@concordat/core/spi';

/** Everything below a directory, as a range of keys. */
export interface Directory {
  readonly range: { readonly key: Buffer; readonly range_end: Buffer };
  /** A key's name below the directory. */
  readonly nameOf: (key: Buffer) => string;
}

const slash = 0x2f;

/** Where things are in the store: `<namespace>/<key>`, without a leading slash. */
export class Keys {
  readonly #prefix: string;

  constructor(namespace: string) {
    this.#prefix = namespace === '' ? '' : `${namespace}/`;
  }

  at(key: Key): Buffer {
    return Buffer.from(this.#prefix + key);
  }

  below(dir: Key): Directory {
    const prefix = Buffer.from(dir === '' ? this.#prefix : `${this.#prefix}${dir}/`);
    // etcd has no empty key: a range from one zero byte to one zero byte stands for everything.
    const everything = { key: Buffer.from([0]), range_end: Buffer.from([0]) };
    const range = prefix.length === 0 ? everything : { key: prefix, range_end: endOf(prefix) };
    return { range, nameOf: (key) => key.toString('utf8', prefix.length) };
  }

  session(lease: string): Buffer {
    return this.at(`session/${lease}`);
  }

  /** An attempt to enter that was given up: while this key exists, its request has no effect. */
  void(attempt: string): Buffer {
    return this.at(`void/${attempt}`);
  }
}

// The end of the range of everything that starts with `prefix`, which ends with a slash.
function endOf(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  end[end.length - 1] = slash + 1;
  return end;
}
