import { Type, type Static } from 'typebox';
import { SipSpec } from '../call-spec.ts';
import { Closed, Nullable, Uuid } from '../rest/common.ts';
import { Secret } from '../rest/resource.ts';
import { defineRequest } from './request-reply.ts';

const TransferLegQuestion = Closed({
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
export type TransferLegQuestion = Static<typeof TransferLegQuestion>;

const { codecs, outboundProxy, username, password } = SipSpec.properties;

export const TransferLegAnswer = Type.Union([
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
export type TransferLegAnswer = Static<typeof TransferLegAnswer>;

/** How a worker calls the person that a user is transferred to: trunks and their credentials are in the database. */
export const TRANSFER_LEG_EXCHANGE = defineRequest(
  { name: 'transfer leg', subject: 'live_calls.transfer_legs', limitMs: 4000 },
  TransferLegQuestion,
  TransferLegAnswer,
);
