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
  | { type: 'dtmf'; digit: string }
  /** The remote end has put the call on hold, or is back: neither side hears the other. At first, it is not on hold. */
  | { type: 'hold'; isOnHold: boolean }
  | { type: 'data'; message: ClientMessage }
  /** A data message of an unknown type. */
  | { type: 'unknown_data'; messageType: string }
  /** Client input that cannot be used. Reported as a warning call event; the call continues. */
  | { type: 'malformed'; detail: string }
  /** Input that was dropped because it arrived faster than real time. */
  | { type: 'input_dropped'; durationMs: number }
  /** Input that is overdue; the receiver substitutes silence. */
  | { type: 'input_missing'; durationMs: number }
  /** The last event. */
  | { type: 'closed'; reason: DisconnectReason; detail: string };

/**
 * `hangup`: the client ended the call. `connection_error`: the connection failed for good, and the call ends.
 * `lost`: the connection broke; the client may reconnect.
 */
export type DisconnectReason = 'hangup' | 'connection_error' | 'lost';

/** `service_restart`: the call continues, and the client should reconnect. */
export type CloseReason = EndReason | 'service_restart';

/** The events of a transport, in order. */
export interface TransportEventStream extends AsyncIterable<TransportEvent> {
  /**
   * From now on, passes audio to `take` as it arrives, without an event, unless earlier events are still to be handled.
   * `take` must not throw.
   */
  takeAudio(take: (samples: Int16Array) => void): void;
}

/** RTP statistics of a connection. Bytes are those of payloads. Null: the remote end has not reported it. */
export interface MediaStatistics {
  /** Name in SDP of the codec that was negotiated last. */
  codec: string;
  packetsSent: number;
  bytesSent: number;
  packetsReceived: number;
  bytesReceived: number;
  packetsLost: number;
  jitterMs: number;
  remotePacketsLost: number | null;
  remoteJitterMs: number | null;
  roundTripMs: number | null;
}

/** Output for the agent's audio. */
export interface AudioOutput {
  readonly outputFormat: AudioFormat;
  /** How far ahead of playback audio may be written. */
  readonly outputLeadMs: number;
  /** Sends audio immediately; the caller paces it. Does not retain the array. */
  write(samples: Int16Array): void;
  /** Drops all audio that was written but not played, including the client's buffer. */
  clear(): void;
  /**
   * Milliseconds from now until audio written now starts to play. Present only if the output is shared with
   * other writers; otherwise audio plays right after what was written before.
   */
  playoutDelayMs?(nowMs: number): number;
  /**
   * How far playback lags behind the expected position, as reported by the remote end, which may have stalled.
   * Present only if the remote end reports it. May rise and fall.
   */
  playbackLagMs?(nowMs: number): number;
}

/** The connection to one client. WebSocket, telephony, WebRTC and SIP each implement it. */
export interface MediaTransport extends AudioOutput, AsyncDisposable {
  readonly inputFormat: AudioFormat;
  readonly events: TransportEventStream;
  /** Sends a data message if the medium's settings allow its type. */
  send(message: ServerMessage): void;
  /** Checks whether the client is still connected. A dead connection soon reports `lost`. */
  probe(): void;
  /**
   * Transfers the remote party to `target`; false if the remote side refuses
   * or the target does not answer. Present only on media that
   * support it. Call `close` afterwards.
   */
  transfer?(target: string): Promise<boolean>;
  /**
   * Sends DTMF digits (0 to 9, *, #, A to D) out of band. False if the remote side does not support it; the caller
   * then plays tones. Present only on media that support it.
   */
  sendDigits?(digits: string): boolean;
  /**
   * Totals since the connection began; still available after `close`. Null if no media was exchanged. Present only on
   * media that measure it.
   */
  statistics?(): MediaStatistics | null;
  /** Ends the connection and sends the client the reason. Idempotent. */
  close(reason: CloseReason): Promise<void>;
}
