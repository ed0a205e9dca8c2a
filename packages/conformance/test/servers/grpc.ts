import type { IncomingHttpHeaders } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { Host } from '@concordat/core/spi';

/** A protobuf field of bytes or text. */
export function field(id: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.of((id << 3) | 2), varint(bytes.length), bytes]);
}

/** A protobuf field that holds a number. */
export function numberField(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.of(id << 3), varint(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
}

/** Just enough gRPC for a test: Node's own HTTP/2, which packs its headers as @grpc/grpc-js does. */
export class GrpcConnection {
  readonly #session: ClientHttp2Session;
  readonly #authority: string;

  constructor({ host, port }: Host) {
    this.#authority = `${host}:${port}`;
    this.#session = connect(`http://${this.#authority}`);
    this.#session.on('error', () => undefined);
  }

  open(path: string): ClientHttp2Stream {
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': path,
      ':authority': this.#authority,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'grpc-node-js/1.14.7',
      'grpc-timeout': `${Math.round(performance.now())}m`,
    });
    stream.on('error', () => undefined);
    stream.on('data', () => undefined);
    return stream;
  }

  /** One call with one message; resolves when the reply ended. */
  call(path: string, message: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.open(path);
      let status: unknown;
      stream.on('trailers', (trailers: IncomingHttpHeaders) => {
        status = trailers['grpc-status'];
      });
      stream.on('close', () => (status === '0' ? resolve() : reject(new Error(`gRPC status ${String(status)}`))));
      stream.end(framed(message));
    });
  }

  close(): void {
    this.#session.destroy();
  }
}

export function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
