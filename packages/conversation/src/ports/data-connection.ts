import type { DataConnectionSpec } from '@calls/api-contract/call-spec';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Severity } from '@calls/api-contract/rest/enums';

export interface DataConnectionListener {
  /** A known, well-formed message. */
  onMessage(message: ClientMessage): void;
  /** Worth a call event: connected, lost, given up, malformed messages. */
  onNote(severity: Severity, eventType: string, text: string, extras: Record<string, unknown> | null): void;
}

/** One call's connection to its owner's server; connects by itself, and again when it breaks, while the call goes on. */
export interface DataConnection {
  /** Sends what the connection's flags let through; what can't be sent now is dropped or waits, bounded. Never throws. */
  send(message: ServerMessage): void;
  /**
   * The sound of the call: 16 kHz signed 16-bit little-endian stereo, the user left, the agent right, gapless on one clock
   * (as for a RecordingSink). Null where the connection wants none. Never throws; the array is the receiver's.
   */
  readonly writeAudio: ((pcm: Uint8Array) => void) | null;
  /** Idempotent; resolves soon. */
  close(): Promise<void>;
}

export interface DataConnections {
  open(
    call: { callId: string; sharedSecrets: readonly string[]; config: DataConnectionSpec },
    listener: DataConnectionListener,
  ): DataConnection;
}
