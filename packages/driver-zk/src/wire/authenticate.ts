import type { Failure } from '../connection.js';
import type { Credentials, Security } from '../security.js';
import type { Channel } from './channel.js';
import { answerChallenge, isProven } from './digest-md5.js';
import { auth, sasl } from './operations.js';
import { reservedXid } from './protocol.js';

/** `refused` also where the server does not prove in return that it knows the password. */
export type Authentication = 'accepted' | 'refused' | 'lost';

/** Proves who we are, before anything else is asked. Never rejects. */
export async function authenticate(channel: Channel, { credentials, scheme }: Security): Promise<Authentication> {
  if (credentials === null) return 'accepted';
  if (scheme === 'sasl') return exchange(channel, credentials);
  const proof = Buffer.from(`${credentials.username}:${credentials.password}`);
  const answer = await channel.ask(auth('digest', proof), { fixedXid: reservedXid.auth });
  return answer.ok ? 'accepted' : refusalOf(answer);
}

async function exchange(channel: Channel, credentials: Credentials): Promise<Authentication> {
  const challenge = await channel.ask(sasl(new Uint8Array(0)));
  if (!challenge.ok) return refusalOf(challenge);
  const answer = answerChallenge(textOf(challenge.value), credentials);
  if (answer === null) return 'refused';
  const accepted = await channel.ask(sasl(Buffer.from(answer.response)));
  if (!accepted.ok) return refusalOf(accepted);
  return isProven(answer, textOf(accepted.value)) ? 'accepted' : 'refused';
}

function refusalOf({ code }: Failure): Authentication {
  return code === 'lost' || code === 'unsent' ? 'lost' : 'refused';
}

function textOf(token: Uint8Array): string {
  return Buffer.from(token).toString();
}
