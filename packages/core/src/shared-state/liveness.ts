import { filter, type Observable } from 'rxjs';
import type { Context } from '../context.js';
import type { Child } from '../spi/backend.js';
import type { Wait } from '../wait.js';

const sessions = 'session';

/** Whether that session is alive, on the store's linearizable word: each one owns an entry that goes with it. 1 read. */
export async function isAlive({ requests }: Context, wait: Wait, session: string): Promise<boolean> {
  const reading = requests.read((backend, call) => backend.get(`${sessions}/${session}`, 'linearizable', call));
  return (await wait.race(reading)) !== null;
}

/**
 * Emits when that session seems to be over, which is a reason to ask {@link isAlive}.
 *
 * Watches the names of all sessions, once for each coordinator: a watch of one entry would be told of each of its heartbeats on ZooKeeper.
 */
export function seemsOver({ watches }: Context, session: string): Observable<readonly Child[]> {
  const names = watches.children(sessions, { data: false });
  return names.pipe(filter((children) => children.every(({ name }) => name !== session)));
}
