import { AppError } from '@calls/foundation/errors';
import type { DialogState } from './dialog/dialog-state.ts';
import type { SessionInterval } from './dialog/session-timer.ts';
import type { RegistrationOutcome } from './registration/registration-machine.ts';

export type { RegistrationOutcome };

/** Credentials to answer a challenge of the peer or of a proxy. */
export interface SipCredentials {
  username: string;
  password: string;
}

export interface SipSource {
  address: string;
  port: number;
  transport: SipTransportName;
  /**
   * For an outgoing TLS connection: the host that the peer's certificate must name. Absent if the peer opened the
   * connection.
   */
  serverName?: string;
  /** Over TCP: the port to connect to if the connection from `port` is closed. Default: `port`. */
  listeningPort?: number;
}

export type SipTransportName = 'udp' | 'tcp' | 'tls';

/** Whether the transport delivers each message or fails, so that messages need not be repeated. */
export function isReliable({ transport }: Pick<SipSource, 'transport'>): boolean {
  return transport !== 'udp';
}

/** An outbound call. */
export interface OutgoingInvite {
  /**
   * `sip:`, `sips:` or `tel:` URI, or `user@host[:port]`; `;transport=tcp` selects TCP, `;transport=tls` and `sips:`
   * select TLS. A `tel:` URI is sent to the host of `from`.
   */
  to: string;
  /** The same forms, optionally with a display name: `"Name" <sip:user@host>`. */
  from: string;
  credentials: SipCredentials | null;
  /** Server that the INVITE is sent through: host, with a port and parameters; absent: the called host. */
  outboundProxy?: string | undefined;
  /** Further headers of the INVITE. They must not be those that this package sets. */
  headers?: readonly (readonly [name: string, value: string])[];
  /** The local offer, or a function that makes it for the peer that the INVITE is sent to. */
  sdp: string | ((peer: SipSource) => string);
  /**
   * Answers an offer that the peer makes by UPDATE before it answers the call (RFC 3311), as `ReinviteHandler` does. Without it,
   * such offers get 488.
   */
  reoffer?: ReinviteHandler['reoffer'];
  /** Time limit for the peer's answer. After it, the call is cancelled with the cause `noAnswer`. */
  ringLimitMs: number;
  /** Who supplied the addresses. Concurrent look-ups per owner are limited. */
  owner?: string;
}

export interface OutgoingCall {
  /** The Call-ID. The messages passed to `onMessage` have it. */
  readonly callId: string;
  /** Never rejects. Settles once, at most `ringLimitMs` after the start. */
  readonly answered: Promise<InviteOutcome>;
  /** Idempotent. No effect after the answer; an answer that crosses the CANCEL is acknowledged and hung up. */
  cancel(): void;
}

export type InviteOutcome =
  | { kind: 'answered'; sdp: string; dialog: Dialog }
  | ({ kind: 'failed' } & CallFailure);

export interface CallFailure {
  /**
   * `refused`: a final response with `status` (300 to 699) and reason phrase; `status` is null for all other causes.
   * `noAnswer`: no final response in time. `cancelled`: by `cancel()`. `unreachable`: no address, no connection, or an
   * address that may not be called. `unusable`: the answer has no tag or no usable session description.
   */
  cause: 'refused' | 'noAnswer' | 'cancelled' | 'unreachable' | 'unusable';
  status: number | null;
  reason: string;
}

/** A binding of this endpoint at a registrar (RFC 3261, 10). */
export interface RegistrationOptions {
  /** User at the registrar: From and To are `sip:<user>@<registrar>`. */
  user: string;
  /** Host of the registrar, with a port or `;transport=tcp` if needed. */
  registrar: string;
  /** Server that requests are sent through, in the same form; null: the registrar. */
  outboundProxy: string | null;
  credentials: SipCredentials;
  /**
   * User part of the Contact. Bindings with this user at another address are those of earlier endpoints; a successful
   * registration removes them.
   */
  contactUser: string;
  /** Who supplied the addresses. Concurrent look-ups per owner are limited. */
  owner: string;
  /** Called after each attempt. */
  onOutcome(outcome: RegistrationOutcome): void;
}

export interface Registration {
  /** Whether an address is one of the registrar's or of its proxy, as resolved for the last attempt. */
  isRegistrar(address: string): boolean;
  /** Address of the server that accepted the last attempt; null if it was rejected, or before the first one. */
  readonly acceptedBy: string | null;
  /** Removes the binding. Resolves with the registrar's response or after a time limit. Idempotent. */
  stop(): Promise<void>;
  /** Sends nothing more: the binding belongs to a successor, or expires. */
  abandon(): void;
}

/** From or To of an INVITE. */
export interface SipParty {
  /** '' if absent. */
  displayName: string;
  /** The URI of the message without headers: `sip:agent@example.test`. */
  uri: string;
  /** Decoded user part; '' if the URI has none. For a `tel:` URI, the number. */
  user: string;
  /** Lower case, without port; '' for a `tel:` URI. */
  host: string;
}

/** An inbound call that waits for an answer. 100 has been sent; the owner rings, rejects or accepts. */
export interface IncomingInvite {
  readonly callId: string;
  readonly requestUri: string;
  readonly from: SipParty;
  readonly to: SipParty;
  /** All headers of the INVITE in order, with compact names expanded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly source: SipSource;
  /** The `grant` of its admission; null without one. */
  readonly grant: string | null;
  /** The peer's offer; null if the peer requests one. */
  readonly sdp: string | null;
  /** Resolves if the peer cancels before the answer (487 has been sent); otherwise stays pending. */
  readonly cancelled: Promise<void>;
  /** Sends 180. */
  ring(): void;
  /** No effect after a final response. `retryAfterS` applies to 480, 486, 500, 503 and 600. */
  reject(status: number, reason: string, retryAfterS?: number): void;
  /**
   * Sends 200 with the local answer (or offer, if `sdp` is null) until the ACK arrives, then resolves. Rejects with a
   * SipError if the peer cancelled or hung up (`call_cancelled`) or did not acknowledge (`not_acknowledged`).
   */
  accept(sdp: string): Promise<Dialog>;
}

/** An established call. */
export interface Dialog {
  readonly callId: string;
  /** The peer's latest description: its offer, or its answer in the 200 or the ACK. */
  readonly remoteSdp: string | null;
  /**
   * Never rejects. `lost`: the peer no longer has the call or no longer responds. `released`: another endpoint
   * continues it.
   */
  readonly ended: Promise<DialogEnd>;
  /** Sends BYE. Resolves with the peer's response or after a time limit. Idempotent. */
  bye(): Promise<void>;
  /**
   * Asks the peer to call `target` instead (REFER), and waits for its result at most 65 s. False if the peer refuses or the target
   * does not answer. The dialog lasts until BYE.
   */
  refer(target: string): Promise<boolean>;
  /** Sends INFO (RFC 6086). False if the peer refuses it or does not respond. */
  info(contentType: string, body: string): Promise<boolean>;
  /** Sets the handlers of further requests of the peer. Without them, REFER and replacing INVITEs are refused with 603. */
  handle(handlers: DialogHandlers): void;
  /** Sets the handler that answers the peer's later offers. Without one, the last local description is sent again. */
  onReinvite(handler: ReinviteHandler): void;
  /** What another endpoint needs to continue the dialog with `SipEndpoint.resume`. */
  snapshot(): DialogSnapshot;
  /** Sets the handler that is called whenever `snapshot` returns something else. */
  onChanged(handler: () => void): void;
  /** Stops all work on the dialog without BYE, so that another endpoint can continue it. */
  release(): void;
}

/** The state of an established dialog, as plain data. */
export interface DialogSnapshot extends DialogState {
  /** Source of the peer's last message. */
  peer: SipSource;
  /** Whether the peer sends from there directly, without a proxy in between. */
  isDirect: boolean;
  /** Whether challenges are answered with credentials, which are not part of the snapshot. */
  hasCredentials: boolean;
  /** Whether the peer accepts UPDATE. */
  hasUpdate: boolean;
  /** Null without a session timer. */
  session: SessionInterval | null;
}

/** A dialog of another endpoint that this one continues. The peer learns of this endpoint by `move`. */
export interface ResumedDialog extends Dialog {
  /**
   * Offers the peer the address of this endpoint with a local offer. Resolves to the peer's answer, or to null if it
   * refuses, does not answer within `limitMs` or hangs up: then the dialog has ended. Never rejects. Call it once.
   */
  move(sdp: string, limitMs: number): Promise<string | null>;
}

export interface DialogHandlers {
  /** The peer reported a key by INFO (`application/dtmf-relay`, `application/dtmf`). */
  onKey(key: string): void;
  onRefer(referral: PeerReferral): void;
  /**
   * An INVITE replaces this dialog (RFC 3891). Settles the invitation, and hangs up this dialog when the new one is
   * established.
   */
  onReplaced(invite: IncomingInvite): void;
}

/** A REFER of the peer, which was accepted with 202. */
export interface PeerReferral {
  /** `sip:`, `sips:` or `tel:` URI to call. */
  target: string;
  /** Value of the Replaces header for that call; null for a blind transfer. */
  replaces: string | null;
  /** Value of Referred-By; null if absent. */
  referredBy: string | null;
  /** Sends the status of that call to the peer (NOTIFY). A status of 200 or more is the result. Does not reject. */
  report(status: number, reason: string): Promise<void>;
}

export interface DialogEnd {
  by: 'local' | 'remote' | 'lost' | 'released';
}

export interface ReinviteHandler {
  /** The local answer to an offer, or a local offer if `sdp` is null. Null rejects it with 488 and changes nothing. */
  reoffer(sdp: string | null): string | null;
  /** The peer's answer to a local offer that it requested. */
  takeAnswer(sdp: string): void;
}

type SipErrorCode =
  | 'unreachable'
  | 'too_busy'
  | 'call_cancelled'
  | 'not_acknowledged'
  | 'invite_settled'
  | 'endpoint_closed';

export class SipError extends AppError {
  declare readonly code: SipErrorCode;

  constructor(code: SipErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
  }
}
