export { heuristicEndOfTurn } from './end-of-turn/heuristic-detector.ts';
export * from './ports/index.ts';
export { Pacer } from './playout/pacer.ts';
export * from './replay/index.ts';
export { CallRecorder, type CallRecorderOptions } from './recording/call-recorder.ts';
export type { CallOutcome } from './session/call-outcome.ts';
export { CallSession, type CallSessionOptions } from './session/call-session.ts';
export type { ConversationServices, SessionLimits, SessionMetrics } from './session/services.ts';
export type { TurnLatency } from './session/turn-latency.ts';
