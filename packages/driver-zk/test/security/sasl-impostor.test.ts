import { describe, expect, it } from 'vitest';
import { operation } from '../../src/wire/protocol.js';
import { refusalOf } from './support/coordinators.js';
import { type Answers, saslImpostor } from './support/sasl-impostor.js';

const credentials = { username: 'alice', password: 'never-to-be-told' };
const challenge = 'realm="zk-sasl-md5",nonce="a-nonce",qop="auth",charset=utf-8,algorithm=md5-sess';

const impostors: readonly (readonly [string, Answers])[] = [
  ['proves another password', [challenge, `rspauth=${'0'.repeat(32)}`]],
  ['proves nothing', [challenge, '']],
  ['answers in another language', [challenge, 'rspauth=']],
  ['repeats the challenge', [challenge, challenge]],
  ['asks for nothing', ['', '']],
  ['asks for another algorithm', [challenge.replace('md5-sess', 'md5'), '']],
  ['asks for another quality of protection', [challenge.replace('qop="auth"', 'qop="auth-conf"'), '']],
  ['asks for the password itself', ['PLAIN', '']],
  ['answers with an error that nobody knows', [-77, '']],
  ['takes the answer with an error', [challenge, -115]],
];

describe.each(impostors)('somebody who %s', (_, answers) => {
  it('SEC-45 is not believed, nor asked for anything', async () => {
    const man = await saslImpostor(answers);
    const options = { hosts: man.hosts, credentials, driverOptions: { auth: 'sasl' }, namespace: 'named/space' };
    expect(await refusalOf(options)).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(new Set(man.asked)).toEqual(new Set([operation.sasl]));
    expect(man.heard).not.toMatch(/never-to-be-told|named/);
  });
});
