import type { SipSource } from '../calls.ts';

/** What carries messages to peers: one UDP socket and TCP connections, at the same port. */
export interface Wire extends AsyncDisposable {
  readonly port: number;
  /** Rejects where the message certainly didn't go. Over TCP a connection is opened where there is none. */
  send(text: string, to: SipSource): Promise<void>;
}

export interface WireHandlers {
  /** A datagram, or a framed message of a connection. Must not throw. */
  onBytes(bytes: Uint8Array, from: SipSource): void;
  /** Whether a call goes over that connection: then it may be idle. */
  isInUse(peer: SipSource): boolean;
}

export function peerKey({ transport, address, port }: SipSource): string {
  return `${transport} ${address} ${port}`;
}
