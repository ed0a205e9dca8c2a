import type { Fixture } from './fixture.js';

/** One promised behaviour, with the id under which the specification states it. */
export interface Scenario {
  readonly id: string;
  /** What happens, in the present tense. */
  readonly title: string;
  /** It breaks the store or blocks this process, so nothing else may run beside it. */
  readonly alone: boolean;
  run(fixture: Fixture): Promise<void>;
}

/** Scenarios about one thing. */
export interface Area {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
}

type Run = (fixture: Fixture) => Promise<void>;

/** Adds a scenario that runs beside others; `alone` adds one that does not. */
export interface Define {
  (id: string, title: string, run: Run): void;
  alone(id: string, title: string, run: Run): void;
}

/** Collects the scenarios of one area as data, so that a runner may also pick single ones by id. */
export function area(name: string, describe: (scenario: Define) => void): Area {
  const scenarios: Scenario[] = [];
  const define = (alone: boolean) => (id: string, title: string, run: Run) => {
    scenarios.push({ id, title, alone, run });
  };
  describe(Object.assign(define(false), { alone: define(true) }));
  return { name, scenarios };
}
