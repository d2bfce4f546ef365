import { described, ReadOnly, Secret } from '@calls/foundation/schema/annotations';
import { DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { defineResource } from './resource.ts';
import { IpCidr, word } from './sip.ts';

const password = (description: string) =>
  Secret(Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 256 }), description)));

/** Audio codecs of SIP calls by their names in SDP, in the order of an offer. */
export const SipCodec = Type.Enum(['opus', 'G722', 'PCMU', 'PCMA']);
export type SipCodec = Static<typeof SipCodec>;

/** A connection to a provider or PBX that does not need a registration. */
export const SipTrunk = defineResource('SipTrunk', {
  trunkId: ReadOnly(described(Uuid, 'Id of the trunk.')),
  created: ReadOnly(described(DateTime, 'When the trunk was created.')),
  name: Type.String({ minLength: 1, maxLength: 60, description: 'Name of the trunk.' }),
  enabled: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the trunk accepts and places calls.' }),
  ),
  proxy: Type.Optional(
    Nullable(word(100), 'Server for calls to numbers: host name or address, with a port if needed.'),
  ),
  outboundProxy: Type.Optional(
    Nullable(word(100), 'Server that outgoing calls are sent through; null sends them to the called host.'),
  ),
  username: Type.Optional(Nullable(word(60), 'User name for outgoing calls, if the server asks for it.')),
  password: password('Password for outgoing calls. Needs `username`.'),
  from: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 256 }),
      'Default caller of outgoing calls: a SIP address or its user part. Null means the first of `numbers`.',
    ),
  ),
  numbers: Type.Optional(
    Type.Array(word(60), {
      maxItems: 1000,
      description:
        'Numbers of the trunk. Incoming calls to other numbers get 404. If empty, all numbers are allowed.',
    }),
  ),
  allowedCidrRanges: Type.Optional(
    Type.Array(IpCidr, {
      maxItems: 100,
      description: 'Addresses that may call without credentials, as IPv4 and IPv6 ranges.',
    }),
  ),
  incomingUsername: Type.Optional(
    Nullable(word(60), 'User name with which the peer authenticates when it calls from another address.'),
  ),
  incomingPassword: password('Password of the peer. Needs `incomingUsername`.'),
  codecs: Type.Optional(
    Type.Array(described(SipCodec, 'Name of the codec in SDP.'), {
      maxItems: 4,
      uniqueItems: true,
      description: 'Allowed codecs, in order of preference. If empty, the default codecs are used.',
    }),
  ),
  maxCalls: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 1, maximum: 10_000 }),
      'Maximum number of live calls in both directions; null means no limit.',
    ),
  ),
});
export type SipTrunk = Static<typeof SipTrunk.Response>;
