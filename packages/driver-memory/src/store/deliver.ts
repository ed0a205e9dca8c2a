/**
 * Runs `callback` later, never within the call: the one place where the delay of a message is decided.
 *
 * A simulation brings its own. Whatever order it chooses, messages of one connection arrive in the order they were sent.
 */
export type Deliver = (callback: () => void) => void;

/** Delivers each message in a turn of the event loop of its own. */
export const deliverSoon: Deliver = (callback) => {
  setImmediate(callback);
};
