import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallMedium } from '@calls/api-contract/rest/medium';
import type { Medium } from '@calls/media-worker/capacity/capacity';

export interface CallerEvents {
  /** Called when the connection is open, or the phone rings. */
  onOpen: () => void;
  /** Called when audio of the agent arrives. */
  onAudio: (durationMs: number) => void;
  /** Called when the agent's response begins or ends. Media without messages derive this from the audio. */
  onAgentState: (isSpeaking: boolean) => void;
  /** Called when the client discards received audio that it has not played. */
  onCleared: () => void;
  /** Called when the connection ends other than by `hangUp`. */
  onLost: (reason: string) => void;
}

/** A caller's connection. */
export interface CallerLine {
  /** Counts of the agent's RTP packets; zero for media without packets. */
  readonly packets: { received: number; lost: number };
  /** Sends 20 ms that `CallerVoice.encode` returned. */
  send(frame: Uint8Array): void;
  hangUp(): Promise<void>;
}

/** Codec of one caller's audio. */
export interface CallerVoice extends Disposable {
  /** Encodes 20 ms of samples at the medium's rate. */
  encode(samples: Int16Array): Uint8Array;
  /** Decodes a frame to the audio that the service receives, at 16 kHz. */
  decode(frame: Uint8Array): Int16Array;
}

/** Creates a call with this medium. */
export type CreateCall = (medium: CallMedium) => Promise<Call>;

/** How callers connect. */
export interface CallerMedium extends AsyncDisposable {
  /** Medium of the capacity formula. */
  readonly kind: Medium;
  readonly sampleRateHz: number;
  /** How far ahead of its playback time the service sends audio. */
  readonly aheadMs: number;
  /** How long a client waits before it plays the first audio; absent if it plays it at once. */
  readonly jitterBufferMs?: number;
  createVoice(): Promise<CallerVoice>;
  /** Creates and joins a call. Resolves when the caller can speak. */
  connect(createCall: CreateCall, events: CallerEvents): Promise<CallerLine>;
}

/** Reports the agent's state from a data message to the caller. */
export function readMessage(message: ServerMessage, events: CallerEvents): void {
  if (message.type === 'state') events.onAgentState(message.state !== 'listening');
  if (message.type === 'playback_clear_buffer') events.onCleared();
}

export function joinUrlOf({ joinUrl }: Call): string {
  if (joinUrl === null) throw new Error('the call has no URL to join');
  return joinUrl;
}
