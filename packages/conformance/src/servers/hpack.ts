import { huffmanText } from './huffman.js';

/** A header field. */
export type HeaderField = readonly [name: string, value: string];

// Names of RFC 7541, appendix A; of the values only the sizes of what is copied from here would matter, and nothing is.
const staticNames = [
  ':authority :method :method :path :path :scheme :scheme :status :status :status :status :status :status :status',
  'accept-charset accept-encoding accept-language accept-ranges accept access-control-allow-origin age allow authorization',
  'cache-control content-disposition content-encoding content-language content-length content-location content-range',
  'content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range',
  'if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range referer refresh',
  'retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate',
].flatMap((line) => line.split(' '));

/** Reads the header blocks of one direction of one HTTP/2 connection (RFC 7541), which build on one another. */
export class HeaderDecoder {
  #recent: HeaderField[] = [];
  #size = 0;
  #limit = 4096;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  decode(block: Buffer): HeaderField[] {
    this.#block = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    while (this.#at < block.length) {
      const first = block.readUInt8(this.#at);
      if (first >= 0x80) fields.push(this.#known(this.#integer(7)));
      else if (first >= 0x40) fields.push(this.#remember(this.#literal(6)));
      else if (first >= 0x20) this.#shrink(this.#integer(5));
      else fields.push(this.#literal(4));
    }
    return fields;
  }

  #literal(prefixBits: number): HeaderField {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#text() : this.#known(index)[0];
    return [name, this.#text()];
  }

  #known(index: number): HeaderField {
    const name = staticNames[index - 1];
    if (name !== undefined) return [name, ''];
    const field = this.#recent[index - staticNames.length - 1];
    if (field === undefined) throw new Error('a header that was not sent before');
    return field;
  }

  #remember(field: HeaderField): HeaderField {
    this.#recent.unshift(field);
    this.#size += sizeOf(field);
    this.#evict();
    return field;
  }

  #shrink(limit: number): void {
    this.#limit = limit;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#limit) {
      const oldest = this.#recent.pop();
      if (oldest === undefined) return;
      this.#size -= sizeOf(oldest);
    }
  }

  #text(): string {
    const huffman = this.#block.readUInt8(this.#at) >= 0x80;
    const length = this.#integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    this.#at += length;
    return huffman ? huffmanText(bytes) : bytes.toString('latin1');
  }

  #integer(prefixBits: number): number {
    const full = 2 ** prefixBits - 1;
    let value = this.#block.readUInt8(this.#at) & full;
    this.#at += 1;
    if (value < full) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#block.readUInt8(this.#at);
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }
}

function sizeOf([name, value]: HeaderField): number {
  return name.length + value.length + 32;
}
