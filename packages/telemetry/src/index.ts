export { type Instrumentation, instrument } from './instrument.js';
export { type LogFields, logFields } from './log-fields.js';
export type { InstrumentOptions } from './options.js';
