import { described, Pattern, ReadOnly, Secret } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, HttpUrl, Nullable, OneOf, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static, type TSchema } from 'typebox';
import { StartAgentCallRequest, StartCallRequest } from './call.ts';
import { defineResource } from './resource.ts';

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
export const Ipv4Cidr = Pattern(
  `^(?:${OCTET}\\.){3}${OCTET}/(?:3[0-2]|[12]?[0-9])$`,
  'must be a range of IPv4 addresses, such as "203.0.113.0/24"',
);

const MOST_PREFIX_BITS = '12[0-8]|1[01][0-9]|[1-9]?[0-9]';
export const IpCidr = Pattern(
  `^(?:(?:${OCTET}\\.){3}${OCTET}/(?:3[0-2]|[12]?[0-9])|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*/(?:${MOST_PREFIX_BITS}))$`,
  'must be a range of addresses, such as "203.0.113.0/24" or "2001:db8::/32"',
);

export const AgentAllowance = Closed(
  {
    agentId: described(Uuid, 'Id of the agent that takes the call.'),
    toUserPattern: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Regular expression for the user part of `To`. Defaults to `agent_<agentId>` or the id alone.',
      }),
    ),
  },
  'AgentAllowance',
  'Which incoming calls an agent takes.',
);
export type AgentAllowance = Static<typeof AgentAllowance>;

const HandlerSecrets = Type.Array(Type.String({ minLength: 16, maxLength: 120 }), {
  minItems: 1,
  maxItems: 10,
  description:
    'Signing secrets; each signs every request. If absent, one is generated and returned in this response only.',
});

const HandlerUrl = described(HttpUrl, 'URL that receives the POST requests.');

export const FallbackHandler = Closed(
  {
    url: HandlerUrl,
    secrets: Secret(Type.Optional(HandlerSecrets)),
  },
  'FallbackHandler',
  'A web service that decides how to handle incoming calls that match no agent.',
);
export type FallbackHandler = Static<typeof FallbackHandler>;

function sipConfigWith<H extends TSchema>(fallbackHandler: H) {
  return defineResource('SipConfig', {
    allowedCidrRanges: Type.Optional(
      Type.Array(Ipv4Cidr, {
        maxItems: 100,
        description: 'Addresses that may call, as IPv4 ranges. If empty, none may call.',
      }),
    ),
    allowAllAgents: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether each agent accepts calls to `agent_<agentId>` or to its id alone.',
      }),
    ),
    allowedAgents: Type.Array(AgentAllowance, {
      maxItems: 20,
      description: 'Agents that take calls; the first whose pattern matches is chosen.',
    }),
    fallbackHandler: described(
      Type.Optional(fallbackHandler),
      'Decides how to handle calls that match no agent; without it, they are rejected.',
    ),
    domain: ReadOnly(Type.String({ description: 'SIP domain to call: `sip:user@domain`.' })),
  });
}

/** Who may call in, and which agents take the calls. */
export const SipConfig = {
  Response: sipConfigWith(FallbackHandler).Response,
  Patch: sipConfigWith(Nullable(FallbackHandler)).Patch,
};
export type SipConfig = Static<typeof SipConfig.Response>;

/** The response to a change: with the secrets of the handler if the service generated them, once. */
export const ChangedSipConfig = Closed(
  {
    ...SipConfig.Response.properties,
    fallbackHandler: Type.Optional(
      Closed(
        { url: HandlerUrl, secrets: Type.Optional(HandlerSecrets) },
        'ChangedFallbackHandler',
        'The fallback handler, with its generated secret.',
      ),
    ),
  },
  'ChangedSipConfig',
  'The SIP settings after a change.',
);
export type ChangedSipConfig = Static<typeof ChangedSipConfig>;

/** The response of a fallback handler. `agentId` is required in `startAgentCall`. A medium is ignored: the INVITE sets it. */
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

/** Text without blanks. */
export const word = (maxLength: number, description?: string) =>
  Pattern('^[^\\s]+$', 'must not be empty or contain spaces', {
    maxLength,
    ...(description !== undefined && { description }),
  });

/** A registration at another SIP server, so that its calls reach the account. */
export const SipRegistration = defineResource('SipRegistration', {
  registrationId: ReadOnly(described(Uuid, 'Id of the registration.')),
  created: ReadOnly(described(DateTime, 'When the registration was created.')),
  username: word(60, 'User name at the server.'),
  password: Secret(Type.String({ minLength: 1, maxLength: 256, description: 'Password at the server.' })),
  proxy: word(100, 'Host name or address of the server, with a port if needed.'),
  outboundProxy: Type.Optional(
    Nullable(word(100), 'Server that requests are sent through; null sends them to `proxy`.'),
  ),
  authUser: Type.Optional(Nullable(word(60), 'User name for authentication; null means `username`.')),
  successful: ReadOnly(
    Nullable(
      Type.Boolean(),
      'Whether the last attempt to register succeeded; null after a change until the next attempt.',
    ),
  ),
  lastError: ReadOnly(
    Nullable(
      Type.String(),
      'Why the last attempt failed: the status and reason of the server, or why it was not reached. Null unless `successful` is false.',
    ),
  ),
  expiresAt: ReadOnly(
    Nullable(
      DateTime,
      'When the registration expires unless it is refreshed. Null unless `successful` is true.',
    ),
  ),
});
export type SipRegistration = Static<typeof SipRegistration.Response>;
