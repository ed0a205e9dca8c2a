import type { Socket } from 'node:net';
import { Frames } from '../../../src/wire/frames.js';
import { JuteReader } from '../../../src/wire/jute-reader.js';
import { JuteWriter } from '../../../src/wire/jute-writer.js';
import { operation } from '../../../src/wire/protocol.js';
import { type Impostor, impostor } from './impostor.js';

const most = 4_096;

/** What somebody answers to the two steps of a SASL exchange, or an error of the protocol instead. */
export type Answers = readonly [string | number, string | number];

/** Somebody who opens sessions as a ZooKeeper does, and plays a server that knows the password; ends with the test. */
export async function saslImpostor(answers: Answers): Promise<Impostor & { readonly asked: readonly number[] }> {
  const asked: number[] = [];
  const man = await impostor((socket) => play(socket, answers, asked));
  return Object.assign(man, { asked });
}

function play(socket: Socket, answers: Answers, asked: number[]): void {
  const frames = new Frames(most);
  const out = new JuteWriter();
  let step = 0;
  const reply = (write: (out: JuteWriter) => void): void => {
    out.begin(most);
    write(out);
    out.end();
    socket.write(Buffer.concat(out.take()));
  };
  socket.on('data', (bytes: Buffer) => {
    for (const frame of frames.push(bytes)) {
      step += 1;
      if (step === 1) {
        reply((welcome) => welcome.int(0).int(4_000).long(0x100n).bytes(Buffer.alloc(16, 1)).flag(false));
        continue;
      }
      const request = new JuteReader(frame);
      const xid = request.int();
      const code = request.int();
      asked.push(code);
      const answer = code === operation.sasl ? (answers[step - 2] ?? 0) : 0;
      reply((header) => {
        header.int(xid).long(1n);
        if (typeof answer === 'number') header.int(answer);
        else header.int(0).bytes(Buffer.from(answer));
      });
    }
  });
}
