/** Does something with each item, so many at a time. After a failure nothing new is begun; settles when nothing is under way any more. */
export async function inFlight<T>(items: Iterable<T>, most: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && !failed; next = rest.next()) {
      try {
        await work(next.value);
      } catch (reason) {
        failed = true;
        throw reason;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: most }, worker));
  for (const settled of workers) if (settled.status === 'rejected') throw settled.reason;
}
