export { CoordinationError, type CoordinationErrorCode } from '../errors.js';
export type { SessionPhase, SessionState } from '../session-state.js';
export type {
  Backend,
  Child,
  Consistency,
  DeleteOptions,
  DeleteResult,
  Entry,
  Key,
  Kind,
  Place,
  PutOptions,
  PutResult,
  Ref,
  Register,
  Rule,
  Traffic,
} from './backend.js';
export { Call } from './call.js';
export { type Clock, SystemClock, systemClock, type Timer } from './clock.js';
export { delayed } from './delayed.js';
export { type Capabilities, type Driver, type Host, type OpenOptions, specVersion } from './driver.js';
export { type LossListener, type LossStage, Session, type SessionOptions } from './session.js';
export { Tls, type TlsMaterial, type TlsOptions } from './tls.js';
