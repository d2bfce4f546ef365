import type { DataConnectionSpec } from '@calls/api-contract/call-spec';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Severity } from '@calls/api-contract/rest/enums';

export interface DataConnectionListener {
  /** A message of a known type that passed validation. */
  onMessage(message: ClientMessage): void;
  /** Something to record as a call event: connected, disconnected, retries exhausted, malformed messages. */
  onNote(severity: Severity, eventType: string, text: string, extras: Record<string, unknown> | null): void;
}

/**
 * The connection of one call to the customer's server. Connects on its own and reconnects until it is closed.
 */
export interface DataConnection {
  /**
   * Sends the message types that the connection's settings allow. Messages that cannot be sent now are queued
   * up to a limit or dropped. Never throws.
   */
  send(message: ServerMessage): void;
  /**
   * The call's audio: 16 kHz signed 16-bit little-endian stereo, the user left, the agent right, without gaps
   * (the format of a RecordingSink). Null if the connection receives no audio. Never throws; takes ownership
   * of the array.
   */
  readonly writeAudio: ((pcm: Uint8Array) => void) | null;
  /**
   * Closes the connection; resolves shortly after. Idempotent. `interrupted`: the client is disconnected, or the call moves
   * to another worker.
   */
  close(reason: 'call_ended' | 'interrupted'): Promise<void>;
}

export interface DataConnections {
  open(
    call: { callId: string; sharedSecrets: readonly string[]; config: DataConnectionSpec },
    listener: DataConnectionListener,
  ): DataConnection;
}
