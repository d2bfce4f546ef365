import { Closed, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { CreatedCall } from './created-call.ts';
import { defineRequest } from './request-reply.ts';

const Text = Type.String({ maxLength: 256 });

const Party = Closed({
  /** Without parameters: `sip:+4930123456@example.com`. */
  uri: Text,
  /** Decoded; '' if absent. */
  user: Text,
  /** '' if absent. */
  displayName: Text,
});

const SipInviteRequestMessage = Closed({
  /** Id of the call to create. Repeated requests with the same id return the same call. */
  callId: Uuid,
  /** The host of the Request-URI, in lower case, without port. */
  domain: Text,
  to: Party,
  from: Party,
  /** Source of the INVITE: an IPv4 or IPv6 address. */
  sourceAddress: Type.String({ maxLength: 64 }),
  /** Headers that describe the call (`SHOWN_SIP_HEADERS`), with their original names. */
  headers: Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 1024 }), {
    maxProperties: 50,
  }),
  /** The registration that the call comes through, whose registrar sent the INVITE. Its account is called. */
  registrationId: Type.Optional(Uuid),
  /** The trunk with the credentials that admitted the caller. */
  trunkId: Type.Optional(Uuid),
});
export type SipInviteRequestMessage = Static<typeof SipInviteRequestMessage>;

/** Lower-case names of the headers passed to calls and fallback handlers, besides all that start with `x-`. */
export const SHOWN_SIP_HEADERS: readonly string[] = [
  'call-id',
  'user-agent',
  'subject',
  'diversion',
  'history-info',
  'p-asserted-identity',
  'p-called-party-id',
  'remote-party-id',
  'privacy',
];

const Rejection = Closed({
  kind: Type.Literal('reject'),
  status: Type.Integer({ minimum: 400, maximum: 699 }),
  reason: Type.String({ maxLength: 200, pattern: '^[^\\r\\n]*$' }),
});
export type SipRejection = Static<typeof Rejection>;

/** Digest credentials of an INVITE (RFC 7616). The worker has issued the nonce and checked its count. */
const CallerDigest = Closed({
  username: Text,
  realm: Text,
  nonce: Text,
  uri: Text,
  algorithm: Type.Enum(['SHA-256', 'MD5']),
  nonceCount: Nullable(Type.String({ pattern: '^[0-9a-f]{8}$' })),
  cnonce: Text,
  response: Type.String({ pattern: '^[0-9a-f]{32,64}$' }),
});
export type CallerDigest = Static<typeof CallerDigest>;

const { domain, to, sourceAddress } = SipInviteRequestMessage.properties;
const SipCallerRequestMessage = Closed({ domain, to, sourceAddress, digest: Type.Optional(CallerDigest) });
export type SipCallerRequestMessage = Static<typeof SipCallerRequestMessage>;

const SipCallerReplyMessage = Type.Union([
  /** `trunkId`: the caller was admitted by the credentials of this trunk, not by its address. */
  Closed({ kind: Type.Literal('allowed'), trunkId: Type.Optional(Uuid) }),
  /** Credentials are needed, or those of the request are wrong. */
  Closed({ kind: Type.Literal('challenge'), realm: Text }),
  Rejection,
]);
export type SipCallerReplyMessage = Static<typeof SipCallerReplyMessage>;

/** Whether INVITEs for the domain are accepted from the address. Asked before any other work. */
export const SIP_CALLER_REQUEST = defineRequest(
  { name: 'SIP caller', subject: 'live_calls.sip_callers', limitMs: 5000 },
  SipCallerRequestMessage,
  SipCallerReplyMessage,
);

/** The created call, sealed (`createCallSeal`) and sent only to the requester; or how to reject the INVITE. */
const SipInviteReplyMessage = Type.Union([
  Closed({ kind: Type.Literal('call'), created: CreatedCall }),
  Rejection,
]);
export type SipInviteReplyMessage = Static<typeof SipInviteReplyMessage>;

/** Creates the call for an INVITE if its account accepts it. */
export const SIP_INVITE_REQUEST = defineRequest(
  { name: 'SIP invitation', subject: 'live_calls.sip_invites', limitMs: 10_000 },
  SipInviteRequestMessage,
  SipInviteReplyMessage,
);
