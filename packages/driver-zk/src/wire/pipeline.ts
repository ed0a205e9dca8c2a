import type { Answer, FailureCode } from '../connection.js';
import { Fifo } from './fifo.js';
import { type JuteReader, MalformedError } from './jute-reader.js';
import { JuteWriter } from './jute-writer.js';
import type { Operation } from './operations.js';
import { failureOf } from './protocol.js';

// The server's jute.maxbuffer is 1,048,575 bytes; a longer request would cost the connection.
const longestRequest = 1_048_000;
const headerBytes = 8;
// Enough to keep a server busy, and little enough that a heartbeat, which goes ahead of the rest, is answered in time.
const mostAtOnce = 1_000;
const mostBytesAtOnce = 8 * 1024 * 1024;
const largestXid = 0x7fff_ffff;

/** How a request is sent. */
export interface Sending {
  /** Ahead of those that wait. */
  readonly urgent?: boolean;
  /** Its number, where that is not counted on. */
  readonly fixedXid?: number;
}

interface Asked {
  readonly operation: Operation<unknown>;
  readonly fixedXid: number | undefined;
  readonly take: (error: number, reply: JuteReader) => void;
  readonly abandon: (code: 'unsent' | 'lost') => void;
  /** Once it is sent. */
  xid: number;
}

/**
 * The requests of one connection: numbered (xid), sent so many at a time and answered in the order they were sent. The others wait here, and certainly
 * did nothing when the connection ends.
 */
export class Pipeline {
  readonly #out: JuteWriter;
  readonly #written: () => void;
  readonly #sent = new Fifo<Asked>();
  readonly #waiting = new Fifo<Asked>();
  #last = 0;
  #bytesSent = 0;

  /** @param written told when `out` has something to send. */
  constructor(out: JuteWriter, written: () => void) {
    this.#out = out;
    this.#written = written;
  }

  /** Never rejects. */
  ask<Value>(operation: Operation<Value>, { urgent = false, fixedXid }: Sending): Promise<Answer<Value>> {
    if (operation.bytes > longestRequest && !fits(operation))
      return Promise.resolve(failure('over-limit', 'the request is larger than 1 MiB'));
    return new Promise((resolve) => {
      const asked: Asked = {
        operation,
        fixedXid,
        xid: 0,
        take: (error, reply) => {
          operation.noted?.(error);
          resolve(error === 0 ? { ok: true, value: operation.read(reply) } : failure(...failureOf(error)));
        },
        abandon: (code) => resolve(failure(code, 'the connection ended before the reply')),
      };
      if (urgent || (this.#waiting.size === 0 && this.#hasRoom)) this.#send(asked);
      else this.#waiting.push(asked);
    });
  }

  /** @throws {MalformedError} when nobody asked for this reply, or it does not answer the question. */
  answer(xid: number, error: number, reply: JuteReader): void {
    const sent = this.#sent.first;
    if (sent?.xid !== xid) throw new MalformedError('a reply that nobody asked for');
    this.#sent.shift();
    this.#bytesSent -= sent.operation.bytes;
    try {
      sent.take(error, reply);
    } catch (malformed) {
      sent.abandon('lost');
      throw malformed;
    }
    while (this.#hasRoom) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#send(next);
    }
  }

  /** The connection is over: whatever was sent is in the dark. */
  abandon(): void {
    for (const { abandon } of this.#sent.drain()) abandon('lost');
    for (const { abandon } of this.#waiting.drain()) abandon('unsent');
  }

  get #hasRoom(): boolean {
    return this.#sent.size < mostAtOnce && this.#bytesSent < mostBytesAtOnce;
  }

  #send(asked: Asked): void {
    const { operation } = asked;
    asked.xid = asked.fixedXid ?? this.#nextXid();
    this.#out.begin(headerBytes + operation.bytes);
    operation.write(this.#out.int(asked.xid).int(operation.code));
    this.#out.end();
    this.#sent.push(asked);
    this.#bytesSent += operation.bytes;
    this.#written();
  }

  // Counts from 1 again in time: below 0 are numbers with a meaning of their own.
  #nextXid(): number {
    this.#last = this.#last === largestXid ? 1 : this.#last + 1;
    return this.#last;
  }
}

// What it takes at most is more than the limit: see what it really takes.
function fits(operation: Operation<unknown>): boolean {
  const trial = new JuteWriter();
  trial.begin(headerBytes + operation.bytes);
  operation.write(trial.int(0).int(operation.code));
  return trial.end() <= longestRequest;
}

function failure(code: FailureCode, message: string): Answer<never> {
  return { ok: false, code, message };
}
