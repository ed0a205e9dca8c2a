/**
 * One request as core follows it: the driver marks the moment it hands the bytes to the transport.
 *
 * Core rejects the caller when the limit passes, whatever the driver does: `UNAVAILABLE` when nothing was sent or when
 * it was a read, `OUTCOME_UNKNOWN` for a write that was sent. The driver only has to clean up behind.
 */
export class Call {
  #sent = false;
  #over = false;

  /** @param deadline end of this request, on the scale of the injected clock. */
  constructor(readonly deadline: number) {}

  /** True once the request may have left this process. */
  get sent(): boolean {
    return this.#sent;
  }

  /** True once the caller was answered: a driver need not go on for its sake. */
  get over(): boolean {
    return this.#over;
  }

  /** To be called by the driver right before a request is handed to the transport. */
  markSent(): void {
    this.#sent = true;
  }

  /** To be called by core when the caller was answered. */
  end(): void {
    this.#over = true;
  }
}
