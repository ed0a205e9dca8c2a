import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Host, Tls } from '@concordat/core/spi';
import { speaksInTheClear, speaksTls } from './probe.js';
import { secureSocket } from './secure-socket.js';
import { answersInTheClear, doubtOf, wantsTls } from './tls-failures.js';

const probeLimitMs = 1_000;

/** One server of the cluster: how a connection to it is made, and what is known against it. */
export class Peer {
  /** `host:port`, with brackets around an address of IPv6. */
  readonly address: string;
  readonly #host: Host;
  readonly #tls: Tls | null;
  readonly #closing = new AbortController();
  #doubt: string | null = null;
  #isMet = false;
  #answers = 0;

  constructor(host: Host, tls: Tls | null) {
    this.#host = host;
    this.#tls = tls;
    this.address = `${host.host.includes(':') ? `[${host.host}]` : host.host}:${String(host.port)}`;
  }

  /** Why it is not trusted, or does not trust this client, and its address; `null` as well while it cannot be reached. */
  get doubt(): string | null {
    return this.#isMet && this.#doubt !== null ? `${this.address}: ${this.#doubt}` : null;
  }

  /** A connection is about to be tried. */
  dialling(): void {
    this.#isMet = false;
  }

  /** Its TCP connection stands: makes it ready for HTTP/2, in TLS where that is asked for, and never without it. */
  async met(socket: Socket): Promise<Socket | TLSSocket> {
    this.#isMet = true;
    socket.once('close', () => {
      if (socket.bytesRead === 0) void this.#probe();
    });
    const tls = this.#tls;
    if (tls === null) return socket;
    const material = tls.material();
    return secureSocket(socket, tls.serverName ?? this.#host.host, material, (error) => {
      if (socket.bytesRead > 0) this.#doubt = doubtOf(error, material.cert !== undefined);
    });
  }

  /** It answered a request. */
  served(): void {
    this.#doubt = null;
    this.#answers += 1;
  }

  close(): void {
    this.#closing.abort();
  }

  // etcd closes a connection of the other kind without a word, as a proxy does that has no server behind it: one question tells.
  async #probe(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const before = this.#answers;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(probeLimitMs)]);
    const isOther =
      this.#tls === null ? await speaksTls(this.#host, limit) : await speaksInTheClear(this.address, limit);
    const words = this.#tls === null ? wantsTls : answersInTheClear;
    if (before === this.#answers) this.#doubt = isOther ? words : null;
  }
}
