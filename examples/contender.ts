import {
  CoordinationError,
  type Coordinator,
  type CoordinatorOptions,
  createCoordinator,
  type Grant,
  readUrl,
} from 'concordat';
import { filter, firstValueFrom } from 'rxjs';
import { type Cable, layCable } from './cable.js';

/** Somebody who wants the lock, on a machine of their own: one session, over one cable. */
export class Contender {
  readonly name: string;
  readonly #cable: Cable;
  readonly #coordinator: Coordinator;
  #grant: Grant | null = null;
  #notificationsBefore = 0;

  private constructor(name: string, cable: Cable, coordinator: Coordinator) {
    this.name = name;
    this.#cable = cable;
    this.#coordinator = coordinator;
  }

  /** Connects to the store that `url` names. */
  static async connect(name: string, url: string, options: CoordinatorOptions, limitMs: number): Promise<Contender> {
    const cable = await layCable(readUrl(url));
    const contender = new Contender(name, cable, createCoordinator(url, { ...options, ...cable.options }));
    await contender.#coordinator.ready({ timeoutMs: limitMs });
    return contender;
  }

  /** Resolves when this contender stands in the line; the lock comes later. */
  async queue(lockName: string): Promise<void> {
    const standing = firstValueFrom(this.#coordinator.events$.pipe(filter(({ type }) => type === 'entry-created')));
    // Whoever dies in this story never gets it.
    this.#coordinator
      .lock(lockName)
      .acquire({ data: this.name })
      .then(
        (grant) => {
          this.#grant = grant;
        },
        () => undefined,
      );
    await standing;
  }

  /** What it holds, or held. */
  get grant(): Grant | null {
    return this.#grant;
  }

  /** What its own library says when asked: whether it may go on. */
  get verdict(): string {
    try {
      this.#grant?.assertHeld();
      return 'still held';
    } catch (error) {
      return CoordinationError.is(error) ? error.message : 'unknown';
    }
  }

  async release(): Promise<void> {
    await this.#grant?.release();
  }

  /** Its machine dies, or pauses: from the outside that is the same. */
  fallSilent(): void {
    this.#cable.fallSilent();
  }

  wakeUp(): void {
    this.#cable.comeBack();
  }

  /** Watch notifications since {@link Contender.countFromHere}. */
  get notifications(): number {
    return this.#coordinator.traffic.notifications - this.#notificationsBefore;
  }

  countFromHere(): void {
    this.#notificationsBefore = this.#coordinator.traffic.notifications;
  }

  async close(): Promise<void> {
    await this.#coordinator.close();
    this.#cable.close();
  }
}
