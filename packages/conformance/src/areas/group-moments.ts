import type { Membership } from '@concordat/core';
import { expect } from 'vitest';
import { eventually } from '../eventually.js';
import type { Client } from '../fixture.js';
import { requireInOrder } from '../history.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

const rounds = 40;
const together = 3;

/** What one snapshot of a group says of one moment: docs/spec/group.md. */
export const groupMoments = area('group moments', (scenario) => {
  // patroni PR1573: members of different moments in one list.
  scenario('GROUP-28', 'shows who was there at one moment, with what each said then or later', async (fixture) => {
    const [writer, near, far] = (await fixture.clients(3)) as [Client, Client, Client];
    const watching = [near, far].map(({ coordinator }) => new Recorder(coordinator.group('g').members$));
    const { history, said } = await comeAndGo(writer, () => far.link.flap());
    for (const seen of watching) {
      await seen.settles(({ members }) => namesOf(members) === history.at(-1));
      const lists = seen.values.map(({ members }) => namesOf(members));
      // An outage shows the same list once more, marked.
      const changes = lists.filter((list, index) => list !== lists[index - 1]);
      requireInOrder(changes, history);
      for (const { id, data } of seen.values.flatMap(({ members }) => members))
        expect(data).toBeGreaterThanOrEqual(said.get(id) ?? Number.NaN);
    }
    await eventually(() => expect(watching[0]?.last?.members).toEqual(watching[1]?.last?.members));
  });
});

/** Members that come and go one after the other; what the list was after each step, and what each member said at first. */
async function comeAndGo({ coordinator }: Client, disturb: () => void) {
  const history = [''];
  const said = new Map<string, number>();
  const members: Membership<unknown>[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 8 === 0) disturb();
    const id = `m${String(round).padStart(3, '0')}`;
    members.push(await coordinator.group('g').join(id, round));
    said.set(id, round);
    history.push(namesOf(members));
    const [leaving] = members.length > together ? members.splice(round % together, 1) : [];
    if (leaving === undefined) continue;
    // Right before it leaves: whoever reads one by one may see the one and not yet the other.
    await leaving.update(round);
    await leaving.leave();
    history.push(namesOf(members));
  }
  return { history, said };
}

function namesOf(members: readonly { readonly id: string }[]): string {
  return members.map(({ id }) => id).join();
}
