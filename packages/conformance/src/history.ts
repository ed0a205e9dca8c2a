/**
 * Judges what an observer was shown against what was true, one state after the other: it may skip some, and must neither go back, nor repeat one, nor show what
 * never was. Throws what it finds.
 */
export function requireInOrder(shown: readonly string[], history: readonly string[]): void {
  let from = 0;
  for (const [index, state] of shown.entries()) {
    const at = history.indexOf(state, from);
    if (at < 0) {
      const when = history.includes(state) ? 'once more, or too late' : 'and it never was';
      throw new Error(`${state} was shown, ${when}; shown so far: ${shown.slice(0, index).join(' | ')}`);
    }
    from = at + 1;
  }
}
