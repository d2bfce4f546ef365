import { Type, type Static, type TSchema } from 'typebox';
import { StartAgentCallRequest, StartCallRequest } from './call.ts';
import { Pattern } from './annotations.ts';
import { Closed, DateTime, HttpUrl, Nullable, OneOf, Uuid } from './common.ts';
import { defineResource, ReadOnly, Secret } from './resource.ts';

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const Ipv4Cidr = Pattern(
  `^(?:${OCTET}\\.){3}${OCTET}/(?:3[0-2]|[12]?[0-9])$`,
  'must be a range of IPv4 addresses, such as "203.0.113.0/24"',
);

export const AgentAllowance = Closed(
  {
    agentId: Uuid,
    toUserPattern: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'A regular expression that the user part of `To` has to fit; absent: it has to be `agent_<agentId>` or the id alone.',
      }),
    ),
  },
  'AgentAllowance',
);
export type AgentAllowance = Static<typeof AgentAllowance>;

const HandlerSecrets = Type.Array(Type.String({ minLength: 16, maxLength: 120 }), {
  minItems: 1,
  maxItems: 10,
  description: 'Each signs every request. Without them the service makes one and answers it once.',
});

export const FallbackHandler = Closed(
  {
    url: HttpUrl,
    secrets: Secret(Type.Optional(HandlerSecrets)),
  },
  'FallbackHandler',
);
export type FallbackHandler = Static<typeof FallbackHandler>;

function sipConfigWith<H extends TSchema>(fallbackHandler: H) {
  return defineResource('SipConfig', {
    allowedCidrRanges: Type.Optional(Type.Array(Ipv4Cidr, { maxItems: 100 })),
    allowAllAgents: Type.Optional(Type.Boolean({ default: false })),
    allowedAgents: Type.Array(AgentAllowance, { maxItems: 20 }),
    fallbackHandler: Type.Optional(fallbackHandler),
    domain: ReadOnly(Type.String()),
  });
}

/** Who may call in, and to which agents; `fallbackHandler` is asked what to do with calls that fit none. */
export const SipConfig = {
  Response: sipConfigWith(FallbackHandler).Response,
  Patch: sipConfigWith(Nullable(FallbackHandler)).Patch,
};
export type SipConfig = Static<typeof SipConfig.Response>;

/** The answer to a change: with the secrets of the handler where the service made them, once. */
export const ChangedSipConfig = Closed(
  {
    ...SipConfig.Response.properties,
    fallbackHandler: Type.Optional(
      Closed(
        { url: FallbackHandler.properties.url, secrets: Type.Optional(HandlerSecrets) },
        'ChangedFallbackHandler',
      ),
    ),
  },
  'ChangedSipConfig',
);
export type ChangedSipConfig = Static<typeof ChangedSipConfig>;

/** What a fallback handler answers. `agentId` is required in `startAgentCall`. The medium is the INVITE's, whatever is named. */
export const SipFallbackHandlerResponse = OneOf(
  {
    startAgentCall: Type.Optional(StartAgentCallRequest),
    startCall: Type.Optional(StartCallRequest),
    reject: Type.Optional(
      Closed(
        {
          sipRejectCode: Type.Optional(Type.Integer({ minimum: 400, maximum: 699, default: 603 })),
          message: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\r\\n]*$' })),
        },
        'SipRejection',
      ),
    ),
  },
  'SipFallbackHandlerResponse',
);
export type SipFallbackHandlerResponse = Static<typeof SipFallbackHandlerResponse>;

const word = (maxLength: number) =>
  Pattern('^[^\\s]+$', 'must not be empty or contain spaces', { maxLength });

/** At a registrar, so that its calls reach the account. */
export const SipRegistration = defineResource('SipRegistration', {
  registrationId: ReadOnly(Uuid),
  created: ReadOnly(DateTime),
  username: word(60),
  password: Secret(Type.String({ minLength: 1, maxLength: 256 })),
  proxy: word(100),
  outboundProxy: Type.Optional(Nullable(word(100))),
  authUser: Type.Optional(Nullable(word(60))),
  successful: ReadOnly(Nullable(Type.Boolean({ description: 'Null until it was tried.' }))),
});
export type SipRegistration = Static<typeof SipRegistration.Response>;
