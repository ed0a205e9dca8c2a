const taken = new Set<number>();

/** The lowest number that no other instrumented coordinator of this process has: keeps their series apart, and few. */
export function takeNumber(): number {
  let number = 1;
  while (taken.has(number)) number += 1;
  taken.add(number);
  return number;
}

export function giveBack(number: number): void {
  taken.delete(number);
}
