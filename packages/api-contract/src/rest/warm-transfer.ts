import { Pattern } from '@calls/foundation/schema/annotations';
import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { TELEPHONY_PROVIDERS } from '@calls/providers/telephony/telephony-vendors';
import { Type, type Static } from 'typebox';

/** The built-in tool's parameters that the model chooses, unless a call overrides them. */
export const WARM_TRANSFER_REQUEST = {
  target: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'Target of the transfer: a phone number in E.164 form or a SIP URI.',
  }),
  summary: Type.String({
    minLength: 1,
    maxLength: 1000,
    description:
      'What the person hears before they take the call: who calls, what about, and what was done so far. One to four short sentences.',
  }),
};

/** The built-in tool's parameters that the model does not see. A call overrides their defaults. */
export const WARM_TRANSFER_SETTINGS = {
  allowed_targets: Type.Optional(
    Type.Array(Pattern('^[^*]*\\*?[^*]*$', 'must have at most one *', { minLength: 1, maxLength: 256 }), {
      minItems: 1,
      maxItems: 100,
      description:
        'Targets that the model may choose: phone numbers without separators and SIP URIs. Each may have one *, which matches any characters. Required unless target is fixed.',
    }),
  ),
  trunk_id: Type.String({
    maxLength: 64,
    description: 'Id of the SIP trunk to call through. Defaults to the trunk of the call, if it has one.',
  }),
  provider: Type.Optional(
    Type.Enum([...TELEPHONY_PROVIDERS], {
      description:
        'Telephony provider that calls the person, instead of a SIP trunk. By default, the person is called the way the user is connected.',
    }),
  ),
  from: Type.String({
    maxLength: 256,
    description:
      'Caller ID that the person sees: a number or SIP URI. Defaults to that of the trunk or of the call.',
  }),
  ring_seconds: Type.Integer({
    minimum: 5,
    maximum: 120,
    description: 'How long the phone rings.',
  }),
  hold_music: Type.Boolean({
    description: 'Whether the user hears music while waiting; otherwise silence.',
  }),
  acceptance: Type.Enum(['key', 'speech', 'automatic'], {
    description:
      'How the person takes the call. `key`: by pressing 1, so that a voicemail does not take it. `speech`: by pressing 1 or saying yes. `automatic`: after the briefing, without being asked.',
  }),
  accept_seconds: Type.Integer({
    minimum: 5,
    maximum: 120,
    description: 'Maximum time for the person to accept after the briefing.',
  }),
  when_person_leaves: Type.Enum(['return', 'end_call'], {
    description: 'What happens when the person hangs up: the user returns to the agent, or the call ends.',
  }),
  max_talk_seconds: Type.Integer({
    minimum: 10,
    maximum: 36_000,
    description:
      'Time limit of the conversation between user and person. After it, the user returns to the agent.',
  }),
  agent_name: Type.String({
    maxLength: 64,
    description:
      'Name by which user and person address the agent. If set, the agent stays as a third party, and speaks when it is addressed.',
  }),
  no_answer_message: Type.String({
    maxLength: 500,
    description:
      'What the agent says to the user if the person does not take the call. If empty, the model decides.',
  }),
};

const WarmTransferParameters = Closed({ ...WARM_TRANSFER_REQUEST, ...WARM_TRANSFER_SETTINGS });
export type WarmTransferParameters = Static<typeof WarmTransferParameters>;

export const warmTransferParametersValidator = compileValidator('warm transfer', WarmTransferParameters);

/** `acceptance`: a voicemail does not press keys, so that it does not take the call. */
export const WARM_TRANSFER_DEFAULTS: Omit<WarmTransferParameters, keyof typeof WARM_TRANSFER_REQUEST> = {
  trunk_id: '',
  from: '',
  ring_seconds: 30,
  hold_music: true,
  acceptance: 'key',
  accept_seconds: 20,
  when_person_leaves: 'return',
  max_talk_seconds: 3600,
  agent_name: '',
  no_answer_message: '',
};
