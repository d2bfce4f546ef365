import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { EndReason } from '@calls/api-contract/rest/enums';

/** Mono signed 16-bit PCM. */
export interface AudioFormat {
  sampleRateHz: number;
}

export type TransportEvent =
  /** Audio of any length at `inputFormat`. The array belongs to the receiver. */
  | { type: 'audio'; samples: Int16Array }
  /** Everything written up to this mark has been heard. */
  | { type: 'mark'; markId: string }
  | { type: 'dtmf'; digit: string }
  | { type: 'data'; message: ClientMessage }
  /** A data message of a type nobody knows. */
  | { type: 'unknown_data'; messageType: string }
  /** Something the client sent that can't be used: a warning call event; the call goes on. */
  | { type: 'malformed'; detail: string }
  /** Input that had to be dropped because it came faster than real time. */
  | { type: 'input_dropped'; durationMs: number }
  /** Input that should have come by now and hasn't; the receiver takes it as silence. */
  | { type: 'input_missing'; durationMs: number }
  /** The last event. */
  | { type: 'closed'; reason: ClosedReason; detail: string };

/**
 * `hangup`: the client is done. `connection_error`: the connection is of no use any more, and so is the call. `lost`: the
 * connection broke; the client may come back.
 */
export type ClosedReason = 'hangup' | 'connection_error' | 'lost';

/** `service_restart`: the call goes on, and the client is to come back for it. */
export type CloseReason = EndReason | 'service_restart';

/** Where the agent's voice goes. */
export interface AudioOutput {
  readonly outputFormat: AudioFormat;
  /** How far ahead of playback audio may be written. */
  readonly outputLeadMs: number;
  /** Sends audio at once; the caller paces. The array is not kept after the call returns. */
  write(samples: Int16Array, markId?: string): void;
  /** Drops all audio that was written and not yet heard, in the client's buffer too. */
  clear(): void;
  /**
   * How long from now until audio written now begins to sound. Only where others write to the same output; elsewhere it is
   * heard right after what was written before.
   */
  playoutDelayMs?(nowMs: number): number;
  /**
   * How much later than that what was written last is heard, so far as the other end tells: it may be stuck. Only where it does
   * tell. May rise and fall.
   */
  playbackLagMs?(nowMs: number): number;
}

/** One client's medium. Every medium (WebSocket, telephony, WebRTC, SIP) is one of these. */
export interface MediaTransport extends AudioOutput, AsyncDisposable {
  readonly inputFormat: AudioFormat;
  readonly events: AsyncIterable<TransportEvent>;
  /** Sends a data message, where the medium's flags let it through. */
  send(message: ServerMessage): void;
  /** There is doubt whether the client is still there: a connection that is dead without having said so is `lost` soon. */
  probe(): void;
  /** Has the other end connect to somebody else; false where it won't. Only where the medium itself can. `close` comes after. */
  transfer?(target: string): Promise<boolean>;
  /** Ends the connection and tells the client why. Idempotent. */
  close(reason: CloseReason): Promise<void>;
}
