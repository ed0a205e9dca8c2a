import type { Host } from '@concordat/core/spi';

// A frozen member never answers; a change of members has to pass a quorum.
const lookLimitMs = 500;
const changeLimitMs = 5_000;

/** What one member of etcd says of itself and of its leader. */
export interface EtcdStanding {
  /** Member numbers of the store's own, in decimal. */
  readonly id: string;
  /** `undefined` while it knows none. */
  readonly leader: string | undefined;
  readonly term: bigint;
  /** Of the program, such as `3.4.23`. */
  readonly version: string;
}

interface StatusReply {
  readonly header: { readonly member_id: string };
  readonly leader?: string;
  readonly raftTerm: string;
  readonly version: string;
}

interface MembersReply {
  readonly members: readonly { readonly ID: string; readonly peerURLs: readonly string[] }[];
}

/** What only somebody who runs an etcd cluster asks, over its JSON gateway. */
export class EtcdAdministration {
  readonly #base: string;

  constructor({ host, port }: Host) {
    this.#base = `http://${host}:${String(port)}/v3`;
  }

  async standing(): Promise<EtcdStanding> {
    const reply = (await this.#post('maintenance/status', {}, lookLimitMs)) as StatusReply;
    const { header, leader, raftTerm, version } = reply;
    return { id: header.member_id, leader, term: BigInt(raftTerm), version };
  }

  /** Takes the member at this address for peers out and lets a new one in there. */
  async replace(peerUrl: string): Promise<void> {
    const { members } = (await this.#post('cluster/member/list', {})) as MembersReply;
    const old = members.find(({ peerURLs }) => peerURLs.includes(peerUrl));
    if (old !== undefined) await this.#post('cluster/member/remove', { ID: old.ID });
    await this.#post('cluster/member/add', { peerURLs: [peerUrl] });
  }

  async #post(path: string, body: object, limitMs = changeLimitMs): Promise<unknown> {
    const reply = await fetch(`${this.#base}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(limitMs),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`etcd refused ${path} with ${String(reply.status)}: ${text}`);
    return JSON.parse(text);
  }
}
