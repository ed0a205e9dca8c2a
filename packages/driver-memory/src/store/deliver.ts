/** Whose turn a delivery is: the store's, its client's, or one that a client takes by itself, without a message. */
export type Toward = 'store' | 'client' | 'self';

/**
 * Runs `callback` later, never within the call: the one place where the delay of a message is decided.
 *
 * A simulation brings its own. Whatever order it chooses, messages of one connection arrive in the order they were sent.
 */
export type Deliver = (callback: () => void, toward: Toward) => void;

/** Delivers each message in a turn of the event loop of its own. */
export const deliverSoon: Deliver = (callback) => {
  setImmediate(callback);
};
