import type { Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type {
  DialogSnapshot,
  IncomingInvite,
  OutgoingCall,
  OutgoingInvite,
  Registration,
  RegistrationOptions,
  ResumedDialog,
  SipCredentials,
  SipSource,
} from './calls.ts';
import type { SipHeaders } from './message/headers.ts';
import type { NameService } from './transport/resolve.ts';

export interface SipEndpointOptions {
  /** Local listening address, IPv4 or IPv6; '' for all IPv4 addresses. */
  host: string;
  /** Port for UDP and TCP. 0 uses a free port. */
  port: number;
  /** Address or name advertised to peers in Via and Contact, without port and brackets. */
  address: string;
  /** The same for the other address family, on the same ports. Without it, peers of that family cannot be reached. */
  otherFamily?: { host: string; address: string };
  /** Calls over TLS. Without it they fail as `unreachable`. */
  tls?: SipTlsOptions;
  /** Session interval that outgoing calls ask for (RFC 4028); 0 for none. Default: 1800. */
  sessionExpiresS?: number;
  /** Resolves host names. */
  names: NameService;
  clock: Clock;
  log: Logger;
  /**
   * Decides whether to accept an INVITE that has no transaction yet. Returns the decision, or a function that requests
   * it; that function must not reject and is called only if there is room to wait. Without `admit`, every INVITE is
   * accepted. A rejected INVITE gets one response per arrival, over UDP never longer than the INVITE.
   */
  admit?(invite: UnansweredInvite): Admission | (() => Promise<Admission>);
  /** Must not throw, and must settle the invitation. 100 has been sent. */
  onInvite(invite: IncomingInvite): void;
  /** Called for every message of a call, in order. */
  onMessage(message: SipLogEntry): void;
  /**
   * Whether local requests may be sent to an IP address from any source. The address of an admitted caller is always
   * allowed. Default: all addresses.
   */
  mayReach?(address: string): boolean;
  limits?: Partial<SipLimits>;
}

export interface SipTlsFiles {
  /** PEM, with intermediate certificates. Also presented to peers that request a client certificate. */
  certificateFile: string;
  /** PEM, not encrypted. */
  keyFile: string;
  /** PEM: authorities that are trusted in addition to the public ones; null if none. */
  caFile: string | null;
}

/** A file that cannot be read or used. The message contains its path. */
export class SipTlsFileError extends AppError {
  readonly file: keyof SipTlsFiles;

  constructor(file: keyof SipTlsFiles, message: string, cause: unknown) {
    super('unusable_tls_file', message, { cause });
    this.file = file;
  }
}

export interface SipTlsOptions extends SipTlsFiles {
  /** 0 uses a free port. */
  port: number;
  /** Host advertised to peers in Via and Contact: one that the certificate names. */
  name: string;
  /** Accepts only connections with a certificate of `caFile`. */
  requiresClientCertificate: boolean;
}

export type UnansweredInvite = Pick<IncomingInvite, 'requestUri' | 'from' | 'to' | 'source' | 'headers'>;

export type Admission =
  /** `isPeer`: from now on the source has the limits of a peer. `grant`: passed to the invitation. */
  | { kind: 'admitted'; isPeer: boolean; grant?: string }
  | { kind: 'refused'; status: number; reason: string; headers?: SipHeaders };

export interface SipLogEntry {
  direction: 'sent' | 'received';
  callId: string;
  /** The remote side. */
  peer: SipSource;
  /** The message text with credentials replaced. */
  text: string;
}

export interface SipLimits {
  /** Maximum number of transactions in both directions; further requests get 503. */
  transactions: number;
  /** Maximum number of TCP and TLS connections in total, and per address. */
  connections: number;
  connectionsPerAddress: number;
  /** Burst and rate of requests outside of calls per unknown source. Further ones get no response. */
  unknownSourceBurst: number;
  unknownSourcePerSecond: number;
  /** The same for a peer: a source whose INVITE was admitted as a peer's within the last minutes. */
  peerBurst: number;
  peerPerSecond: number;
  /**
   * Maximum number of INVITEs that wait for a decision: per unknown source, per peer, in total. Further ones get 503
   * over TCP and no response over UDP.
   */
  admissionsPerUnknownSource: number;
  admissionsPerPeer: number;
  admissions: number;
  /** A TCP or TLS connection without traffic, calls and registrations is closed after this time. */
  idleConnectionMs: number;
}

export const DEFAULT_SIP_LIMITS: SipLimits = {
  transactions: 10_000,
  connections: 500,
  connectionsPerAddress: 50,
  unknownSourceBurst: 50,
  unknownSourcePerSecond: 10,
  peerBurst: 500,
  peerPerSecond: 200,
  admissionsPerUnknownSource: 20,
  admissionsPerPeer: 100,
  admissions: 500,
  idleConnectionMs: 120_000,
};

/** RFC 4028, 4. */
export const DEFAULT_SESSION_EXPIRES_S = 1800;

/** The listening sockets with all calls over them. Disposal hangs up established calls and closes the sockets. */
export interface SipEndpoint extends AsyncDisposable {
  /** The listening port for UDP and TCP. */
  readonly port: number;
  /** The listening port for TLS; null without TLS. */
  readonly tlsPort: number | null;
  invite(call: OutgoingInvite): OutgoingCall;
  /** Continues a dialog of another endpoint. */
  resume(snapshot: DialogSnapshot, credentials: SipCredentials | null): ResumedDialog;
  /** Registers, and refreshes the binding until it is stopped or abandoned. Failed attempts are repeated. */
  register(options: RegistrationOptions): Registration;
}
