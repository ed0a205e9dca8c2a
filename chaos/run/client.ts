import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Route } from '@concordat/conformance/servers';
import type { Journal } from '../journal.js';
import type { ClientOptions, Order, Question } from '../messages.js';
import type { GuardedResource } from './guarded-resource.js';
import type { Reaper } from './reaper.js';

const program = fileURLToPath(new URL('../client/process.js', import.meta.url));

/** One client: a process that works on the cluster by a route of its own, and another one after it was killed. */
export class Client {
  readonly route: Route;
  readonly #options: Omit<ClientOptions, 'name'>;
  readonly #journal: Journal;
  readonly #resource: GuardedResource;
  readonly #reaper: Reaper;
  #lives = 0;
  #child: ChildProcess | null = null;
  #isStopped = false;
  #isKilled = false;
  #isSettled = false;

  constructor(
    route: Route,
    options: Omit<ClientOptions, 'name'>,
    journal: Journal,
    resource: GuardedResource,
    reaper: Reaper,
  ) {
    this.route = route;
    this.#options = options;
    this.#journal = journal;
    this.#resource = resource;
    this.#reaper = reaper;
  }

  /** The name of its process; another one in each life. */
  get name(): string {
    return `${this.route.name}.${String(this.#lives)}`;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  start(): void {
    this.#lives += 1;
    this.#isKilled = false;
    const { name } = this;
    const options: ClientOptions = { ...this.#options, name };
    const child = fork(program, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child = child;
    const { pid } = child;
    if (pid !== undefined) this.#reaper.watch(pid);
    this.#journal.write({ kind: 'process', state: 'started' }, name);
    child.on('message', (question: Question) => this.#hear(child, name, question));
    child.on('error', () => undefined);
    child.once('exit', (code, signal) => {
      if (pid !== undefined) this.#reaper.forget(pid);
      if (this.#child === child) this.#child = null;
      const byItself = signal === null && code === 0 ? 'ended' : 'crashed';
      this.#journal.write({ kind: 'process', state: this.#isKilled ? 'killed' : byItself }, name);
    });
  }

  /** SIGSTOP. */
  stop(): void {
    this.#isStopped = true;
    this.#journal.write({ kind: 'process', state: 'stopped' }, this.name);
    this.#child?.kill('SIGSTOP');
  }

  /** SIGCONT. */
  continue(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#child?.kill('SIGCONT');
    this.#journal.write({ kind: 'process', state: 'continued' }, this.name);
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const gone = once(child, 'exit');
    this.#isKilled = true;
    child.kill('SIGKILL');
    await gone;
    this.#isStopped = false;
  }

  settle(): void {
    this.#tell({ order: 'settle' });
  }

  end(): void {
    this.#tell({ order: 'end' });
  }

  #tell(order: Order): void {
    this.#child?.send(order, () => undefined);
  }

  #hear(child: ChildProcess, by: string, question: Question): void {
    if ('state' in question) {
      this.#isSettled = true;
      return;
    }
    const isAccepted = this.#resource.write(question, by);
    child.send({ answer: question.ask, isAccepted }, () => undefined);
  }
}
