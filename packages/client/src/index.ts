export { CallError, type CallErrorCode } from './call-error.ts';
export type { CallEnd, CallEventMap, CallStatus } from './call-events.ts';
export type { CallSessionOptions, JoinOptions } from './call-options.ts';
export { CallSession } from './call-session.ts';
export { checkBrowser } from './check-browser.ts';
export type { DataMessageType } from './connection/join-url.ts';
export type { AudioLevels } from './media/levels.ts';
export type { AgentState, ClientMessage, MessageMedium, ServerMessage, ToolErrorType } from './messages.ts';
export {
  testNetwork,
  type NetworkPath,
  type NetworkPaths,
  type NetworkTestResult,
  type NetworkVerdict,
} from './network-test.ts';
export { openMicrophone, type AudioDevices } from './media/devices.ts';
export type { MicrophoneChoice } from './media/microphone.ts';
export type { ToolResult, ToolImplementation, ToolOutcome, Transcript } from './application-types.ts';
export { VERSION } from './version.ts';
