import { Session } from 'node:inspector';

/**
 * Sets a private field as a debugger does: for what takes a program weeks to come to by itself, so that the product needs no door for tests.
 */
export function setPrivateField(target: object, path: string, value: number): void {
  const session = new Session();
  session.connect();
  Reflect.set(globalThis, '__target', target);
  session.post('Runtime.evaluate', { expression: `__target.${path} = ${String(value)}`, replMode: true });
  Reflect.deleteProperty(globalThis, '__target');
  session.disconnect();
}
