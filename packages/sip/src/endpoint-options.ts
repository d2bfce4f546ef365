import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { IncomingInvite, OutgoingCall, OutgoingInvite, SipSource } from './calls.ts';
import type { NameService } from './transport/resolve.ts';

export interface SipEndpointOptions {
  /** The local address to listen at; '' all IPv4 ones. */
  host: string;
  /** For UDP and TCP. 0 takes a free one. */
  port: number;
  /** Advertised to peers in Via and Contact: an address or a name, without port. */
  address: string;
  /** For hosts that are names. */
  names: NameService;
  clock: Clock;
  log: Logger;
  /**
   * Decides whether to take an INVITE that has no transaction yet. Returns the decision, or a function that asks for it, which must
   * not reject and is called if there is room to wait. Without `admit`, every INVITE is taken. A refused INVITE gets one response
   * each time it arrives, over UDP never longer than the INVITE.
   */
  admit?(invite: UnansweredInvite): Admission | (() => Promise<Admission>);
  /** Must not throw, and must settle the invitation; it is answered 100 before. */
  onInvite(invite: IncomingInvite): void;
  /** Every message of a call, in order. */
  onMessage(message: SipLogEntry): void;
  /** Whether requests of ours may go to that IP address, wherever it was named; to one who called us they may. Without it, to all. */
  mayReach?(address: string): boolean;
  limits?: Partial<SipLimits>;
}

export type UnansweredInvite = Pick<IncomingInvite, 'requestUri' | 'from' | 'to' | 'source'>;

export type Admission =
  /** `isPeer`: the source has the limits of a peer from now on. */
  { kind: 'admitted'; isPeer: boolean } | { kind: 'refused'; status: number; reason: string };

export interface SipLogEntry {
  direction: 'sent' | 'received';
  callId: string;
  /** The other side. */
  peer: SipSource;
  /** As it was, credentials replaced. */
  text: string;
}

export interface SipLimits {
  /** Transactions of both directions at once; new requests beyond are answered 503. */
  transactions: number;
  /** TCP connections at once, and of them those from one address. */
  connections: number;
  connectionsPerAddress: number;
  /** Requests from one stranger that belong to no call: so many at once, and so many per second. Further ones get no answer. */
  strayBurst: number;
  strayPerSecond: number;
  /** Likewise from a peer: a source whose INVITE was admitted as a peer's within the last minutes. */
  peerBurst: number;
  peerPerSecond: number;
  /** INVITEs that wait for a decision: of one stranger, of one peer, of all. Further ones get 503 over TCP, nothing over UDP. */
  admissionsPerStranger: number;
  admissionsPerPeer: number;
  admissions: number;
  /** A TCP connection that carries nothing for so long, and no call, is closed. */
  idleConnectionMs: number;
}

export const DEFAULT_SIP_LIMITS: SipLimits = {
  transactions: 10_000,
  connections: 500,
  connectionsPerAddress: 50,
  strayBurst: 50,
  strayPerSecond: 10,
  peerBurst: 500,
  peerPerSecond: 200,
  admissionsPerStranger: 20,
  admissionsPerPeer: 100,
  admissions: 500,
  idleConnectionMs: 120_000,
};

/** One UDP and one TCP socket, and every call that goes through them. Disposing hangs up what stands and closes both. */
export interface SipEndpoint extends AsyncDisposable {
  /** The port that was taken. */
  readonly port: number;
  invite(call: OutgoingInvite): OutgoingCall;
}
