import { Secret } from '@calls/foundation/schema/annotations';
import { Nullable, Uuid } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { SipCodec } from '../rest/sip-trunk.ts';

/*
 * The objects are open and their fields are never renamed, so that two neighbouring releases read each other's: a
 * release ignores unknown fields. New fields are optional.
 */

const Cseq = Type.Integer({ minimum: 0 });

/** The dialog (RFC 3261, 12) as its endpoint left it. Without passwords: those are in the call. */
const SipDialog = Type.Object({
  callId: Type.String({ minLength: 1 }),
  localTag: Type.String({ minLength: 1 }),
  remoteTag: Type.String(),
  /** From and To values of local requests. */
  local: Type.String(),
  remote: Type.String(),
  localCSeq: Cseq,
  remoteCSeq: Nullable(Cseq),
  remoteTarget: Type.String({ minLength: 1 }),
  routeSet: Type.Array(Type.String()),
  isSecure: Type.Boolean(),
  /** Source of the peer's last message. */
  peer: Type.Object({
    address: Type.String(),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    transport: Type.Enum(['udp', 'tcp', 'tls']),
    serverName: Type.Optional(Type.String()),
  }),
  isDirect: Type.Boolean(),
  /** Whether challenges are answered with the call's credentials. */
  hasCredentials: Type.Boolean(),
  hasUpdate: Type.Boolean(),
  session: Nullable(
    Type.Object({ intervalS: Type.Integer({ minimum: 1 }), isLocalRefresher: Type.Boolean() }),
  ),
});

/** The local session descriptions and what was negotiated. Encrypted audio gets new keys. */
const SipSession = Type.Object({
  sessionId: Type.Integer({ minimum: 0 }),
  version: Type.Integer({ minimum: 0 }),
  voice: Nullable(
    Type.Object({
      payloadType: Type.Integer({ minimum: 0, maximum: 127 }),
      codec: SipCodec,
    }),
  ),
  isEncrypted: Type.Boolean(),
  isSecureProfile: Type.Boolean(),
  /** Key exchange of encrypted audio. Absent: `sdes`. */
  keyExchange: Type.Optional(Type.Enum(['sdes', 'dtls'])),
  /** Where the peer signalled that it receives audio. Absent on hold, and in records of earlier releases. */
  target: Type.Optional(
    Type.Object({ address: Type.String(), port: Type.Integer({ minimum: 1, maximum: 65_535 }) }),
  ),
});

/** What another worker needs to continue an answered SIP call with its peer. */
export const SipCallState = Type.Object({
  dialog: SipDialog,
  media: SipSession,
  /** When the INVITE was sent or received, in epoch milliseconds. */
  dialledAtMs: Type.Number({ minimum: 0 }),
});
export type SipCallState = Static<typeof SipCallState>;

export const sipCallStateValidator = compileValidator('state of a SIP call', SipCallState);

/**
 * What another worker needs to hang up the person of a warm transfer. Its record has the id of the leg in place of a call,
 * which earlier releases treat as a call that is over.
 */
export const PersonLegState = Type.Object({
  /** The call of the user. */
  userCallId: Uuid,
  dialog: SipDialog,
});
export type PersonLegState = Static<typeof PersonLegState>;

export const personLegStateValidator = compileValidator('state of a transfer leg', PersonLegState);

/** The record of an answered SIP call, written by the worker that has its lease. */
export const StoredDialog = Type.Object({
  callId: Uuid,
  /** Epoch of the lease. Records of earlier owners are out of date. */
  epoch: Type.Integer({ minimum: 1 }),
  /** A `SipCallState` or `PersonLegState` as JSON; sealed (`createDialogSeal`). */
  state: Secret(Type.String()),
});
export type StoredDialog = Static<typeof StoredDialog>;
