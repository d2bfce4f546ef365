export { CallError, type CallErrorCode } from './call-error.ts';
export type { CallEnd, CallEventMap, CallStatus, DataMessage } from './call-events.ts';
export { CallSession, type CallSessionOptions, type JoinOptions } from './call-session.ts';
export type { DataMessageType } from './join-url.ts';
export { openMicrophone, type AudioDevices } from './devices.ts';
export type { MicrophoneChoice } from './microphone.ts';
export type { ToolAnswer, ToolImplementation, ToolOutcome, Transcript } from './application-types.ts';
export { VERSION } from './version.ts';
