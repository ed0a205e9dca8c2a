import type { Answer, NodeStat } from '../../../src/connection.js';
import type { Channel } from '../../../src/wire/channel.js';
import { exists } from '../../../src/wire/operations.js';
import { eventually } from '../../support/eventually.js';
import { reply, stat, welcome } from './bytes.js';
import { tryDial } from './dialling.js';
import { HostilePeer } from './hostile-peer.js';

/** What came of it. */
export interface Conversation {
  readonly channel: Channel;
  readonly answers: readonly Answer<NodeStat>[];
  /** How often each request was answered. */
  readonly told: readonly number[];
}

/** Asks `count` things at once; the peer says `script` to the last of them. */
export async function converse(count: number, script: readonly Uint8Array[], closes = false): Promise<Conversation> {
  const peer = await HostilePeer.start((socket, requests) => {
    requests.on((_request, index) => {
      if (index === 0) socket.write(welcome());
      if (index !== count) return;
      for (const part of script) socket.write(part);
      if (closes) socket.end();
    });
  });
  const result = await tryDial(peer.address);
  if (!result.ok) throw new Error(result.failure);
  const { channel } = result;
  const told = Array.from({ length: count }, () => 0);
  const answers = await Promise.all(
    told.map((_, index) =>
      channel.ask(exists(`/${String(index)}`, false)).then((answer) => {
        told[index] = (told[index] ?? 0) + 1;
        return answer;
      }),
    ),
  );
  if (!channel.open) await eventually(() => peer.open === 0);
  channel.destroy();
  await peer.close();
  return { channel, answers, told };
}

/** The reply to the request of that number, which has it for its version and its transaction. */
export const good = (xid: number): Buffer => reply(xid, BigInt(xid), 0, stat({ version: xid }));
