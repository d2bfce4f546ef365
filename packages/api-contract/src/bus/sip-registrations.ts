import { Secret } from '@calls/foundation/schema/annotations';
import { Closed, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { defineRequest } from './request-reply.ts';

/** Maximum number of registrations of one worker. */
export const MAX_REGISTRATIONS = 1000;

const Server = Type.String({ maxLength: 256 });
/** Changes with the settings of a registration. */
const Version = Type.String({ maxLength: 64 });
/** Counts the workers that held a registration. */
const Epoch = Type.Integer({ minimum: 1 });

/** A registration that a worker now holds. The password is sealed (`createRegistrationSeal`). */
export const AssignedRegistration = Closed({
  registrationId: Uuid,
  accountId: Uuid,
  version: Version,
  epoch: Epoch,
  username: Type.String({ maxLength: 256 }),
  authUser: Nullable(Type.String({ maxLength: 256 })),
  password: Secret(Type.String()),
  proxy: Server,
  outboundProxy: Nullable(Server),
  /** User part of the Contact. */
  contactUser: Type.String({ pattern: '^[\\w-]{1,64}$' }),
});
export type AssignedRegistration = Static<typeof AssignedRegistration>;

const HeldRegistration = Closed({
  registrationId: Uuid,
  version: Version,
  epoch: Epoch,
  /** The result of the last attempt with this version; null before the first one. */
  outcome: Nullable(
    Closed({
      successful: Type.Boolean(),
      /** Why it failed; null if it succeeded. */
      error: Nullable(Type.String({ maxLength: 200 })),
      /** When the binding expires, in epoch milliseconds; null if there is none. */
      expiresAtMs: Nullable(Type.Integer({ minimum: 0 })),
    }),
  ),
});
export type HeldRegistration = Static<typeof HeldRegistration>;

const SipRegistrationsRequestMessage = Closed({
  workerId: Type.String({ minLength: 1, maxLength: 200 }),
  /** How many more registrations the worker accepts. */
  room: Type.Integer({ minimum: 0, maximum: MAX_REGISTRATIONS }),
  /** The registrations that the worker holds. All others that it held are released. */
  held: Type.Array(HeldRegistration, { maxItems: MAX_REGISTRATIONS }),
});
export type SipRegistrationsRequestMessage = Static<typeof SipRegistrationsRequestMessage>;

const SipRegistrationsReplyMessage = Closed({
  /** How long the worker holds them from the time of its request, unless it requests them again. */
  leaseMs: Type.Integer({ minimum: 1 }),
  /** The requested registrations that the worker still holds with unchanged settings. */
  held: Type.Array(Uuid, { maxItems: MAX_REGISTRATIONS }),
  /** New and changed registrations. */
  assigned: Type.Array(AssignedRegistration, { maxItems: MAX_REGISTRATIONS }),
});
export type SipRegistrationsReplyMessage = Static<typeof SipRegistrationsReplyMessage>;

/** Renews a worker's leases of registrations, stores their results, and leases it others that no worker holds. */
export const SIP_REGISTRATIONS_REQUEST = defineRequest(
  { name: 'SIP registrations', subject: 'live_calls.sip_registrations', limitMs: 5000 },
  SipRegistrationsRequestMessage,
  SipRegistrationsReplyMessage,
);
