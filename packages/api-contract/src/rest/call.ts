import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, JsonObject, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { CallAnalysis } from './call-analysis.ts';
import { CallTemplate } from './call-template.ts';
import { callSettingsOf, shownCallSettings } from './call-settings.ts';
import { AnsweredBy, BillingStatus, EndReason, FirstSpeaker, SipTermination } from './enums.ts';
import { ToolOverrides } from './tool.ts';

/** Body of `POST /api/calls`. */
export const StartCallRequest = Closed(callSettingsOf.call, 'StartCallRequest', 'Settings of a new call.');
export type StartCallRequest = Static<typeof StartCallRequest>;

/** Body of `POST /api/agents/{agent_id}/calls`. */
export const StartAgentCallRequest = Closed(
  {
    ...callSettingsOf.agentCall,
    templateContext: Type.Optional(
      described(
        JsonObject,
        'Values of the template variables; they must be valid against `contextSchema` of the template.',
      ),
    ),
    toolOverrides: described(Type.Optional(ToolOverrides), 'Changes of the tools in the template.'),
    callTemplate: described(
      Type.Optional(CallTemplate.Request),
      'Template to use instead of the one of the agent, to try changes without saving them. Secrets that it omits are copied from the agent.',
    ),
    agentId: Type.Optional(described(Uuid, 'Id of the agent. If set, it must be the one in the path.')),
  },
  'StartAgentCallRequest',
  'A new call of an agent, with overrides of the template.',
);
export type StartAgentCallRequest = Static<typeof StartAgentCallRequest>;

const Throttle = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Name or id of the call throttle that limits this call.',
});

/** Query of `POST /api/calls`. */
export const StartCallQuery = Closed({
  enableGreetingPrompt: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Adds a prompt for a greeting unless an initial message already calls for a response.',
    }),
  ),
  priorCallId: Type.Optional(
    described(
      Uuid,
      'Id of a call from which the new call copies settings and messages, unless the body sets them. Excludes `initialMessages`.',
    ),
  ),
  throttle: Type.Optional(Throttle),
});
export type StartCallQuery = Static<typeof StartCallQuery>;

/** Query of `POST /api/agents/{agent_id}/calls`. */
export const StartAgentCallQuery = Closed({ throttle: Type.Optional(Throttle) });
export type StartAgentCallQuery = Static<typeof StartAgentCallQuery>;

export const AgentBasic = Closed(
  { agentId: described(Uuid, 'Id of the agent.'), name: Type.String({ description: 'Name of the agent.' }) },
  'AgentBasic',
  'An agent by id and name.',
);

const { dataConnection: dataConnectionConfig, ...settings } = shownCallSettings.call;

/** A call in every response. Objects that it does not have are omitted. */
export const Call = Closed(
  {
    callId: described(Uuid, 'Id of the call.'),
    clientVersion: Nullable(Type.String(), 'Version of the client that joined; null before that.'),
    created: described(DateTime, 'When the call was created.'),
    joined: Nullable(DateTime, 'When a client joined; null before that.'),
    ended: Nullable(DateTime, 'When the call ended; null before that.'),
    endReason: Nullable(EndReason, 'Why the call ended; null before that.'),
    answeredBy: Nullable(
      AnsweredBy,
      'What answered the call; null before that is known, and without `answeringMachineDetection`.',
    ),
    billedDuration: Nullable(Duration, 'Duration that is billed; null before that.'),
    billedSideInputTokens: Nullable(
      Type.Integer(),
      'Input tokens of the requests to the language model; null before the end.',
    ),
    billedSideOutputTokens: Nullable(
      Type.Integer(),
      'Output tokens of the requests to the language model; null before the end.',
    ),
    billingStatus: described(BillingStatus, 'Whether and how the call is billed.'),
    firstSpeaker: described(FirstSpeaker, 'Who speaks first, according to `firstSpeakerSettings`.'),
    ...settings,
    dataConnectionConfig,
    joinUrl: Nullable(
      Type.String(),
      'URL with which a client or a telephony provider joins the call; null for calls by SIP.',
    ),
    shortSummary: Nullable(Type.String(), 'Summary in one sentence; null until it is written.'),
    summary: Nullable(Type.String(), 'Summary of the conversation; null until it is written.'),
    analysis: described(
      Type.Optional(CallAnalysis),
      'The analysis of the conversation, if one was requested.',
    ),
    agent: described(Type.Optional(AgentBasic), 'The agent of the call.'),
    agentId: Nullable(Uuid, 'Id of the agent of the call; null if it has none.'),
    agentRevisionId: Nullable(Uuid, 'Id of the revision of the agent that the call was created from.'),
    requestContext: Nullable(
      Type.Unknown(),
      'Details of an incoming phone call, from its provider or SIP peer; null for other calls.',
    ),
    sipDetails: described(
      Type.Optional(
        Closed(
          {
            billedDuration: Nullable(Duration, 'Duration of the SIP call that is billed; null before that.'),
            terminationReason: Nullable(SipTermination, 'How the SIP call ended; null before that.'),
          },
          'CallSipDetails',
          'The SIP part of a call.',
        ),
      ),
      'The SIP part of the call; absent for other mediums.',
    ),
  },
  'Call',
  'A call, with its settings and its state.',
);
export type Call = Static<typeof Call>;

const { properties: of } = Call;

/** A call in lists that are read often. Its fields are those of `Call`. */
export const CallSummary = Closed(
  {
    callId: of.callId,
    created: of.created,
    joined: of.joined,
    ended: of.ended,
    endReason: of.endReason,
    billingStatus: of.billingStatus,
    medium: of.medium,
    agent: of.agent,
    systemPrompt: Nullable(
      Type.String(),
      'The first 100 characters of the system prompt; null for calls of an agent.',
    ),
    shortSummary: of.shortSummary,
  },
  'CallSummary',
  'A call in short form.',
);
export type CallSummary = Static<typeof CallSummary>;
