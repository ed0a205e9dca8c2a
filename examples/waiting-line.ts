import { setTimeout } from 'node:timers/promises';
import { type Coordinator, createCoordinator, fencing, type Grant, redactUrl, text } from 'concordat';
import { filter, firstValueFrom, map, timeout } from 'rxjs';
import { Contender } from './contender.js';

const names = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn'];
const lockName = `waiting line ${Date.now().toString(36)}`;
const sessionTimeoutMs = 3_000;
// A store may grant more than was asked for, and may look for dead sessions only now and then.
const stepLimitMs = 30_000;
const quietMs = 250;

/**
 * The story of a lock, told on a live store: six contenders queue, some leave, some die, one freezes and wakes up too late.
 *
 * The same code on every store; throws when anything happens that should not.
 */
export async function tellWaitingLine(url: string, print: (line: string) => void, reachLimitMs = 5_000): Promise<void> {
  const options = { sessionTimeoutMs, allowShortSession: true };
  const observer = createCoordinator(url, options);
  const contenders: Contender[] = [];
  try {
    await observer.ready({ timeoutMs: reachLimitMs });
    for (const name of names) contenders.push(await Contender.connect(name, url, options, reachLimitMs));
    print(`A waiting line on ${redactUrl(url)}. The one in brackets holds the lock.`);
    await new Story(observer, contenders, print).tell();
  } finally {
    await Promise.all([...contenders, observer].map((participant) => participant.close()));
  }
}

class Story {
  readonly #observer: Coordinator;
  readonly #contenders: readonly Contender[];
  readonly #print: (line: string) => void;
  #step = 0;
  #lastToken = 0n;

  constructor(observer: Coordinator, contenders: readonly Contender[], print: (line: string) => void) {
    this.#observer = observer;
    this.#contenders = contenders;
    this.#print = print;
  }

  async tell(): Promise<void> {
    const [ada, ben, cleo, dan, eve, finn] = names.map((name) => this.#find(name));
    if (!ada || !ben || !cleo || !dan || !eve || !finn) throw new Error('somebody is missing');
    const ledger = new fencing.TokenGate();

    this.#title('Six contenders queue.');
    for (const contender of this.#contenders) await contender.queue(lockName);
    await this.#expect([ada, ben, cleo, dan, eve, finn]);
    this.#countFromHere();

    this.#title('Ada releases: the line moves up by one, and only the next one is told.');
    await ada.release();
    await this.#expect([ben, cleo, dan, eve, finn], ben, ada);

    this.#title('Dan dies in the middle. His entry dies with his session; the one behind him closes the gap.');
    dan.fallSilent();
    await this.#expect([ben, cleo, eve, finn], eve);

    this.#title('Ben dies while he holds. Death is release.');
    ben.fallSilent();
    await this.#expect([cleo, eve, finn], cleo);

    this.#title('Cleo freezes while she holds, past her session. To the store that looks like death.');
    cleo.fallSilent();
    await this.#expect([eve, finn], eve);
    this.#write(ledger, eve, true);
    cleo.wakeUp();
    this.#print('   Cleo wakes up, and believes that no time has passed:');
    this.#write(ledger, cleo, false);
    this.#print(`   Had she asked her grant first: ${cleo.verdict}`);
    this.#countFromHere();

    this.#title('Eve releases, and Finn after her.');
    await eve.release();
    await this.#expect([finn], finn, eve);
    await finn.release();
    await this.#expect([]);
  }

  #find(name: string): Contender | undefined {
    return this.#contenders.find((contender) => contender.name === name);
  }

  #title(title: string): void {
    this.#step += 1;
    this.#print(`\n${String(this.#step)}. ${title}`);
  }

  /** Waits until the line is this one, shows it, and checks that only `told` was notified on the way. */
  async #expect(line: readonly Contender[], told?: Contender, releaser?: Contender): Promise<void> {
    const startedAt = performance.now();
    const expected = line.map(({ name }) => name).join(' ');
    await firstValueFrom(
      this.#observer.lock(lockName).contenders$.pipe(
        map(({ contenders }) => contenders.map(({ data }) => text.decode(data)).join(' ')),
        filter((seen) => seen === expected),
        timeout(stepLimitMs),
      ),
    );
    const [holder] = line;
    if (holder !== undefined) await until(`${holder.name} is granted the lock`, () => holder.grant !== null);
    const tookMs = performance.now() - startedAt;
    this.#print(`   ${line.map(({ name }, place) => (place === 0 ? `[${name}]` : name)).join('  ') || '(nobody)'}`);
    const facts = holder?.grant ? [this.#token(holder.grant)] : [];
    if (told !== undefined)
      facts.push(await this.#notifications(told, releaser), `after ${(tookMs / 1000).toFixed(1)} s`);
    if (facts.length > 0) this.#print(`   ${facts.join(', ')}`);
  }

  #token({ token }: Grant): string {
    if (token < this.#lastToken) throw new Error('a token went down');
    this.#lastToken = token;
    return `token ${token}`;
  }

  /** On ZooKeeper, where a watch cannot be taken back, a releaser also hears of its own entry. */
  async #notifications(expected: Contender, releaser: Contender | undefined): Promise<string> {
    await until(`${expected.name} is told`, () => expected.notifications > 0);
    // Time for anybody else to be told as well.
    await setTimeout(quietMs);
    const told = this.#contenders.filter(({ notifications }) => notifications > 0);
    const others = told.filter((contender) => contender !== releaser);
    const total = others.reduce((sum, { notifications }) => sum + notifications, 0);
    if (total !== 1) throw new Error(`${String(total)} notifications, to ${others.map(({ name }) => name).join(', ')}`);
    const own = releaser !== undefined && told.includes(releaser) ? ` (and ${releaser.name}, of the own release)` : '';
    this.#countFromHere();
    return `1 notification: ${expected.name}${own}`;
  }

  #countFromHere(): void {
    for (const contender of this.#contenders) contender.countFromHere();
  }

  #write(ledger: fencing.TokenGate, writer: Contender, expected: boolean): void {
    const token = writer.grant?.token ?? 0n;
    const accepted = ledger.accept('ledger', token);
    this.#print(`   ${writer.name} writes to the ledger with token ${token}: ${accepted ? 'accepted' : 'REFUSED'}`);
    if (accepted !== expected) throw new Error(`the ledger ${accepted ? 'accepted' : 'refused'} the wrong write`);
  }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + stepLimitMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not so: ${what}`);
    await setTimeout(10);
  }
}
