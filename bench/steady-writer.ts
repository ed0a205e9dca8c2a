import type { Host } from '@concordat/core/spi';
import { readUrl } from 'concordat';
import { rawEtcd } from './raw-etcd.js';
import { rawWire } from './raw-wire.js';

// A process of its own that writes as fast as the store answers, until it is ended.
const url = process.argv[2] ?? '';
const [host] = readUrl(url).hosts ?? [];
const raw = await (url.startsWith('etcd') ? rawEtcd(host as Host) : rawWire(host as Host));
process.send?.('writing');
process.once('disconnect', () => process.exit());
for (;;) await raw.remove(await raw.create());
