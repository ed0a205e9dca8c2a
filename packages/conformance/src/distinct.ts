/** Without what differs from the one before only in what a short suspension changes, as a loaded machine brings it. */
export function distinct<T>(values: readonly T[], essence: (value: T) => unknown): readonly T[] {
  const essences = values.map((value) => JSON.stringify(essence(value)));
  return values.filter((_, index) => index === 0 || essences[index] !== essences[index - 1]);
}
