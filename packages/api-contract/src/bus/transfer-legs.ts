import { Secret } from '@calls/foundation/schema/annotations';
import { Closed, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { TELEPHONY_PROVIDERS } from '@calls/providers/telephony/telephony-vendors';
import { Type, type Static } from 'typebox';
import { SipSpec } from '../call-spec.ts';
import { defineRequest } from './request-reply.ts';

const TransferLegRequestMessage = Closed({
  accountId: Uuid,
  /** The call of the user. */
  callId: Uuid,
  /** Id of the call to the person. The secrets of the answer are sealed for it. */
  legId: Uuid,
  /** A phone number or SIP URI. */
  target: Type.String({ maxLength: 256 }),
  /** Null: the trunk of the user's call, if it has one. */
  trunkId: Nullable(Type.String({ maxLength: 64 })),
  /** The caller that the person sees; null: the trunk's default. */
  from: Nullable(Type.String({ maxLength: 256 })),
});
export type TransferLegRequestMessage = Static<typeof TransferLegRequestMessage>;

const { codecs, outboundProxy, username, password } = SipSpec.properties;

export const TransferLegReplyMessage = Type.Union([
  /** Call this address through the trunk. */
  Closed({
    kind: Type.Literal('trunk'),
    to: Secret(Type.String()),
    from: Secret(Type.String()),
    username,
    password,
    outboundProxy,
    codecs,
  }),
  /** Neither the request nor the user's call has a trunk. */
  Closed({ kind: Type.Literal('no_trunk') }),
  /** `detail` is a sentence for the owner of the call. */
  Closed({ kind: Type.Literal('refused'), detail: Type.String({ maxLength: 4096 }) }),
]);
export type TransferLegReplyMessage = Static<typeof TransferLegReplyMessage>;

/** How a worker calls the person that a user is transferred to: trunks and their credentials are in the database. */
export const TRANSFER_LEG_REQUEST = defineRequest(
  { name: 'transfer leg', subject: 'live_calls.transfer_legs', limitMs: 4000 },
  TransferLegRequestMessage,
  TransferLegReplyMessage,
);

const Provider = Type.Enum([...TELEPHONY_PROVIDERS]);

const PhoneLegRequestMessage = Closed({
  accountId: Uuid,
  /** The call of the user. */
  callId: Uuid,
  /** Id of the call to the person. */
  legId: Uuid,
  provider: Provider,
  /** A phone number. */
  target: Type.String({ maxLength: 256 }),
  /** The number that the person sees; null: that of the user's call, if it was placed through the provider. */
  from: Nullable(Type.String({ maxLength: 256 })),
  ringLimitMs: Type.Integer({ minimum: 1, maximum: 600_000 }),
});
export type PhoneLegRequestMessage = Static<typeof PhoneLegRequestMessage>;

const PhoneLegReplyMessage = Type.Union([
  /** The provider was asked to ring. `providerCallId` is null if it is unknown. */
  Closed({ outcome: Type.Literal('dialled'), providerCallId: Nullable(Type.String({ maxLength: 256 })) }),
  /** `detail` is a sentence for the owner of the call. */
  Closed({ outcome: Type.Literal('refused'), detail: Type.String({ maxLength: 1000 }) }),
]);
export type PhoneLegReplyMessage = Static<typeof PhoneLegReplyMessage>;

/**
 * Calls the person through a telephony provider, with the account's credentials. Repeated requests with the same `legId`
 * call at most once.
 */
export const PHONE_LEG_REQUEST = defineRequest(
  { name: 'phone leg', subject: 'live_calls.phone_legs', limitMs: 15_000 },
  PhoneLegRequestMessage,
  PhoneLegReplyMessage,
);

const { accountId, callId, legId, provider } = PhoneLegRequestMessage.properties;

const PhoneLegEnd = Closed({
  ...{ accountId, callId, legId, provider },
  providerCallId: Type.String({ minLength: 1, maxLength: 256 }),
});
export type PhoneLegEnd = Static<typeof PhoneLegEnd>;

/** Hangs up a phone that still rings after the transfer was cancelled. */
export const PHONE_LEG_END_REQUEST = defineRequest(
  { name: 'phone leg end', subject: 'live_calls.phone_leg_ends', limitMs: 7000 },
  PhoneLegEnd,
  Closed({}),
);
