import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { CallMedium } from '@calls/api-contract/rest/medium';

export interface CallerEvents {
  /** The socket is open. */
  onOpen: () => void;
  /** The agent's audio came. */
  onAudio: (durationMs: number) => void;
  onMessage: (message: ServerMessage) => void;
  /** The connection ended, and not by `hangUp`. */
  onLost: (why: string) => void;
}

/** A caller's connection. */
export interface CallerLine {
  /** Of the agent's packets, where there are packets. */
  readonly packets: { received: number; lost: number };
  /** The next 20 ms, as the medium's voice made them. */
  send(frame: Uint8Array): void;
  hangUp(): Promise<void>;
}

/** How one caller's voice becomes what is sent. */
export interface CallerVoice extends Disposable {
  /** 20 ms at the medium's rate. */
  encode(samples: Int16Array): Uint8Array;
  /** What the service will hear of it, at 16 kHz. */
  heard(frame: Uint8Array): Int16Array;
}

/** What callers are connected by. */
export interface CallerMedium {
  readonly kind: 'webRtc' | 'serverWebSocket';
  readonly spec: CallMedium;
  readonly sampleRateHz: number;
  /** How far ahead of its time audio is sent to them. */
  readonly aheadMs: number;
  createVoice(): Promise<CallerVoice>;
  /** Resolves when the call has begun. */
  connect(joinUrl: string, events: CallerEvents): Promise<CallerLine>;
}
