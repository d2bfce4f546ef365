export type { Behaviour, Role, StandInControl, StandInDelays } from './behaviour.ts';
export type { ChatReply, ChatRule, ToolCallStyle } from './chat-reply.ts';
export type { RequestReport, RequestSummary } from './request-log.ts';
export { loadSpeechRecording, SPEECH_RATE_HZ } from './speech-recording.ts';
export { startAiStandIn, type AiStandIn, type AiStandInOptions } from './start-ai-stand-in.ts';
