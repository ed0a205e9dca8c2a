import { type Codec, createCoordinator, json } from 'concordat';
import { Journal } from '../journal.js';
import type { ClientOptions, Order } from '../messages.js';
import { Random } from '../random.js';
import { stand } from './candidate.js';
import { type Context, writeDown } from './context.js';
import { type Contended, contend } from './lines.js';
import { comeAndGo } from './member.js';
import { conclude, followConfig, followLeader, followLine, followMembers, lineOf, membersOf } from './observe.js';
import { readAndWrite } from './register.js';
import { Resource, send } from './resource.js';

const permits = 2;
const registers = ['one', 'two'];
const words = json as Codec<string>;

/** Works with every primitive until it is told to settle; then says what it was shown last, and goes when it is told to. */
async function work(options: ClientOptions): Promise<void> {
  const { name, directory, url, sessionTimeoutMs, seed } = options;
  const settle = new AbortController();
  const end = new AbortController();
  const resource = new Resource();
  process.on('message', (order: Order) => {
    resource.hear(order);
    if ('order' in order) (order.order === 'settle' ? settle : end).abort();
  });
  // Without the run there is nobody to work for.
  const abandon = (): void => process.exit(1);
  process.on('disconnect', abandon);
  const journal = new Journal(directory, name);
  const coordinator = createCoordinator(url, { sessionTimeoutMs, allowShortSession: true });
  let isConnected = false;
  coordinator.session$.subscribe(({ state, epoch, reason }) => {
    isConnected = state === 'connected';
    journal.write({ kind: 'session', state, epoch, reason: reason?.message ?? null });
  });
  let numbers = 0;
  const context: Context = {
    name,
    coordinator,
    journal,
    resource,
    sessionTimeoutMs,
    random: (stream) => new Random(seed, `${name}/${stream}`),
    settle: settle.signal,
    isConnected: () => isConnected,
    next: () => {
      numbers += 1;
      return String(numbers);
    },
  };
  const election = coordinator.election('leader');
  const group = coordinator.group('group');
  const configs = registers.map((key) => ({ key, config: coordinator.config(`chaos/${key}`, words) }));
  const shownLeader = followLeader(context, 'leader', election);
  const shownMembers = followMembers(group);
  const shownConfigs = configs.map(({ key, config }) => followConfig(context, key, config));
  const lines: readonly Contended[] = [
    { primitive: 'lock', name: 'door', permits: 1, line: coordinator.lock('door') },
    { primitive: 'semaphore', name: 'pool', permits, line: coordinator.semaphore('pool', permits) },
  ];
  const shownLines = lines.map((line) => ({ line, shown: followLine(context, line) }));
  await Promise.all([
    ...lines.map((line) => contend(context, line)),
    stand(context, 'leader', election),
    comeAndGo(context, group),
    ...configs.map(({ key, config }) => readAndWrite(context, key, config)),
  ]);
  // A coordinator that is new to the line knows what is stored, and shares no watch with this one.
  const fresh = createCoordinator(url, { sessionTimeoutMs, allowShortSession: true });
  const storedVersion = async (key: string): Promise<string | null> => {
    const found = await fresh.config(`chaos/${key}`, words).get();
    return found === undefined ? null : String(found.version);
  };
  const shownOf = (primitive: Contended['primitive']): (() => string | null) =>
    shownLines.find(({ line }) => line.primitive === primitive)?.shown ?? (() => null);
  await Promise.all([
    conclude(context, 'leader', 'leader', shownLeader, async () => null),
    conclude(context, 'members', 'group', shownMembers, () => membersOf(fresh.group('group'))),
    conclude(context, 'line', 'lock/door', shownOf('lock'), () => lineOf(fresh.lock('door'))),
    conclude(context, 'line', 'semaphore/pool', shownOf('semaphore'), () => lineOf(fresh.semaphore('pool', permits))),
    ...configs.map(({ key }, index) =>
      conclude(context, 'config', key, shownConfigs[index] ?? (() => null), () => storedVersion(key)),
    ),
  ]);
  send({ state: 'settled' });
  if (!end.signal.aborted) await new Promise((resolve) => end.signal.addEventListener('abort', resolve));
  await Promise.all([coordinator, fresh].map((each) => writeDown(context, 'close', 'coordinator', () => each.close())));
  journal.close();
  process.off('disconnect', abandon);
  process.disconnect();
}

const [text = '{}'] = process.argv.slice(2);
await work(JSON.parse(text) as ClientOptions);
