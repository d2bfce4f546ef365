export * from './ports/index.ts';
export { Pacer } from './playout/pacer.ts';
export {
  CallSession,
  type CallOutcome,
  type CallSessionOptions,
  type ConversationServices,
  type SessionLimits,
  type SessionMetrics,
} from './session/call-session.ts';
export type { TurnLatency } from './session/turn-latency.ts';
