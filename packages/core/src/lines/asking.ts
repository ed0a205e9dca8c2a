import type { Context } from '../context.js';
import type { Backend } from '../spi/backend.js';
import type { Call } from '../spi/call.js';
import { untilAnswered } from '../until-answered.js';
import type { Wait } from '../wait.js';

/** Reads on behalf of somebody in a line. A read that failed is asked again within the same session: a place stands as long as its entry does. */
export function askInLine<T>(
  { requests }: Context,
  wait: Wait,
  epoch: number,
  read: (backend: Backend, call: Call) => Promise<T>,
): Promise<T> {
  return untilAnswered(wait, () => requests.read(read, epoch), ['UNAVAILABLE']);
}
