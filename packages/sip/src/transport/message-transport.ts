import type { SipSource } from '../calls.ts';

/** Carries messages to peers: one UDP socket and TCP connections on the same port, and TLS connections on another. */
export interface MessageTransport extends AsyncDisposable {
  readonly port: number;
  /** Null without TLS. */
  readonly tlsPort: number | null;
  /** Rejects if the message was certainly not sent. Opens a connection if there is none. */
  send(text: string, to: SipSource): Promise<void>;
}

export interface MessageTransportHandlers {
  /** Called for a datagram or a framed message. Must not throw. */
  onBytes(bytes: Uint8Array, from: SipSource): void;
  /** Whether a call or a registration uses this connection, which may then be idle. */
  isInUse(peer: SipSource): boolean;
  /** Called when either side has closed an open connection. */
  onClosed(peer: SipSource): void;
}

/** A connection whose certificate was verified for a name is not used for another name. */
export function peerKey({ transport, address, port, serverName = '' }: SipSource): string {
  return `${transport} ${address} ${port} ${serverName}`;
}
