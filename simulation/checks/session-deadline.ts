import type { World } from '../world/world.js';

/**
 * A session is over in the store. Whoever lived in it must have come to the same conclusion before, by its own clock, unless it ended it itself or an
 * operator did; and nobody is connected in it for longer than it takes to notice silence.
 */
export function checkDeadline({ clients, truth, findings, scheduler }: World, session: string): void {
  const client = clients.find((each) => each.session === session);
  if (client === undefined) return;
  const { process, sessionTimeoutMs } = client;
  if (process.attentive && !truth.wasEndedByHand(session) && client.coordinator.safeUntil > 0)
    findings.report('deadline-too-late', `${client.name} believes in session ${session}, which is over in the store`);
  scheduler.plan(sessionTimeoutMs / 2, null, 'looks again', () => {
    if (process.attentive && client.connected && client.session === session)
      findings.report(
        'session-not-ended',
        `${client.name} is connected in session ${session}, which is over in the store`,
      );
  });
}
