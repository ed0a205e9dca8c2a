/** Something that can be broken for a while. */
export interface Fault {
  readonly name: string;
  /** Breaks it, and answers what was broken and how it is mended. */
  begin(): Promise<Broken>;
}

/** What is broken now. */
export interface Broken {
  readonly on: readonly string[];
  mend(): void | Promise<void>;
}
