import type { SipSource } from '../calls.ts';

/** Carries messages to peers: one UDP socket and TCP connections on the same port. */
export interface Wire extends AsyncDisposable {
  readonly port: number;
  /** Rejects if the message was certainly not sent. Opens a TCP connection if there is none. */
  send(text: string, to: SipSource): Promise<void>;
}

export interface WireHandlers {
  /** Called for a datagram or a framed message. Must not throw. */
  onBytes(bytes: Uint8Array, from: SipSource): void;
  /** Whether a call uses this connection, which may then be idle. */
  isInUse(peer: SipSource): boolean;
}

export function peerKey({ transport, address, port }: SipSource): string {
  return `${transport} ${address} ${port}`;
}
