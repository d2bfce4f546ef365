import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { CallMedium } from '@calls/api-contract/rest/medium';

export interface CallerEvents {
  /** The socket is open. */
  onOpen: () => void;
  /** Audio of the agent arrived. */
  onAudio: (durationMs: number) => void;
  onMessage: (message: ServerMessage) => void;
  /** The connection ended, but not by `hangUp`. */
  onLost: (why: string) => void;
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

/** How callers connect. */
export interface CallerMedium {
  readonly kind: 'webRtc' | 'serverWebSocket';
  readonly spec: CallMedium;
  readonly sampleRateHz: number;
  /** How far ahead of its playback time the service sends audio. */
  readonly aheadMs: number;
  createVoice(): Promise<CallerVoice>;
  /** Resolves when the call has begun. */
  connect(joinUrl: string, events: CallerEvents): Promise<CallerLine>;
}
