/** What a run tells a client's process: to end everything that changes something, and to go. */
export type Order = { readonly order: 'settle' | 'end' } | { readonly answer: number; readonly isAccepted: boolean };

/** What a client's process asks of the run, in which the guarded resource lives. */
export type Question =
  | { readonly ask: number; readonly resource: string; readonly grant: string; readonly token: string }
  | { readonly state: 'settled' };

/** What a client's process is started with. */
export interface ClientOptions {
  readonly name: string;
  readonly directory: string;
  /** Its coordinator's, with the addresses of its own way to the cluster. */
  readonly url: string;
  readonly sessionTimeoutMs: number;
  readonly seed: number;
}
