/** A change of a source file, by its text. */
export interface Patch {
  /** Below `packages/`. */
  readonly file: string;
  /** What is there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A bug that was real, here or elsewhere, brought back by a change of the sources. */
export interface Mutant {
  readonly name: string;
  /** Where it was known: a commit of this repository, a decision, or a row of docs/catalogue.md. */
  readonly known: string;
  /** The first seed that caught it when this was written. Another one may, once the course of the seeds has changed. */
  readonly seed: number;
  readonly patches: readonly Patch[];
}
