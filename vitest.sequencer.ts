import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes, mostly waiting for sessions to end. Begun last, one of them runs on alone. */
const longOnes = /\/(?:conformance|mutants)\.test\.ts$/;

/** Long files first, the others as vitest has them. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longOnes.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
