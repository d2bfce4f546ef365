/** Who may answer a challenge of the peer or of a proxy on the way. */
export interface SipCredentials {
  username: string;
  password: string;
}

export interface SipSource {
  address: string;
  port: number;
  transport: SipTransportName;
}

export type SipTransportName = 'udp' | 'tcp';

/** A call to be placed. */
export interface OutgoingInvite {
  /** `sip:` or `tel:` URI, or `user@host[:port]`; `;transport=tcp` goes over TCP. A `tel:` URI goes to the host of `from`. */
  to: string;
  /** The same forms, a display name before it allowed: `"Name" <sip:user@host>`. */
  from: string;
  credentials: SipCredentials | null;
  /** Our offer. */
  sdp: string;
  /** How long the peer may take until it answers; then the call is cancelled, as `noAnswer`. */
  ringLimitMs: number;
  /** Who gave the addresses: names of one owner are looked up a few at a time. */
  owner?: string;
}

export interface OutgoingCall {
  /** The Call-ID, also of the messages that `onMessage` is shown. */
  readonly callId: string;
  /** Never rejects. Settles once, at the latest after `ringLimitMs`. */
  readonly answered: Promise<OutgoingAnswer>;
  /** Idempotent; nothing where it was answered already. An answer that crosses it is acknowledged and hung up. */
  cancel(): void;
}

export type OutgoingAnswer =
  | { kind: 'answered'; sdp: string; dialog: Dialog }
  | ({ kind: 'failed' } & CallFailure);

export interface CallFailure {
  /**
   * `refused`: a final response, whose `status` (300 to 699) and reason phrase are given. Else `status` is null.
   * `noAnswer`: nothing final in time. `cancelled`: by `cancel()`. `unreachable`: no address, no connection, or an address we
   * can't call. `faulty`: an answer without a description.
   */
  cause: 'refused' | 'noAnswer' | 'cancelled' | 'unreachable' | 'faulty';
  status: number | null;
  reason: string;
}

/** A party of an INVITE. */
export interface SipParty {
  /** '' where none is given. */
  displayName: string;
  /** The URI as it came, without headers: `sip:agent@example.test`. */
  uri: string;
  /** Decoded; '' where the URI has none. Of a `tel:` URI the number. */
  user: string;
  /** Without port, in lower case; '' for a `tel:` URI. */
  host: string;
}

/** A call that asks to be taken. It was answered 100; the owner rings, rejects or accepts. */
export interface IncomingInvite {
  readonly callId: string;
  readonly requestUri: string;
  readonly from: SipParty;
  readonly to: SipParty;
  /** All of the INVITE, in order, names as commonly written (compact forms expanded). */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly source: SipSource;
  /** The peer's offer; null where it wants ours. */
  readonly sdp: string | null;
  /** Resolves where the peer gives up before it was answered (it got its 487); never otherwise. */
  readonly cancelled: Promise<void>;
  /** 180. */
  ring(): void;
  /** Nothing where it was settled before. `retryAfterS` is for 480, 486, 500, 503 and 600. */
  reject(status: number, reason: string, retryAfterS?: number): void;
  /**
   * 200 with our answer (our offer, where `sdp` is null), repeated until it is acknowledged; then resolves. Rejects with a
   * SipError (`call_cancelled`, `not_acknowledged`) where the peer gave up or never acknowledged.
   */
  accept(sdp: string): Promise<Dialog>;
}

/** A call that stands. */
export interface Dialog {
  readonly callId: string;
  /** The peer's latest description: its offer, or its answer in the 200 or the ACK. */
  readonly remoteSdp: string | null;
  /** Never rejects. `lost`: the peer no longer knows the call, or no longer answers. */
  readonly ended: Promise<DialogEnd>;
  /** Hangs up; resolves when the peer said so, or won't any more. Idempotent. */
  bye(): Promise<void>;
  /** Asks the peer to call `target` instead (REFER). Whether it said that it would. The dialog stays until BYE. */
  refer(target: string): Promise<boolean>;
  /** Sets the handler that answers the peer's later offers. Without one, the last local description is sent again. */
  onReinvite(handler: ReinviteHandler): void;
}

export interface DialogEnd {
  by: 'local' | 'remote' | 'lost';
}

export interface ReinviteHandler {
  /** Our answer to a new offer, or our own offer where that is null; null refuses it (488), and all stays as it was. */
  reoffer(sdp: string | null): string | null;
  /** The peer's answer to an offer that we were asked for. */
  takeAnswer(sdp: string): void;
}
