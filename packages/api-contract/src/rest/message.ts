import { described } from '@calls/foundation/schema/annotations';
import { Closed } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { MessageMediumEnum, MessageRole } from './enums.ts';

export const Timespan = Closed(
  {
    start: Type.Optional(described(Duration, 'Start, counted from the join.')),
    end: Type.Optional(described(Duration, 'End, counted from the join.')),
  },
  'InCallTimespan',
  'A span of time in a call.',
);

/** A message in `initialMessages` of a request or in the messages of a call. */
export const Message = Closed(
  {
    role: Type.Optional(
      described(
        MessageRole,
        'Who the message is from; the user by default. In calls, `MESSAGE_ROLE_UNSPECIFIED` is an instruction of a supervisor.',
      ),
    ),
    text: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description: 'What was said or written; arguments of a tool call or its result, as JSON.',
      }),
    ),
    invocationId: Type.Optional(
      Type.String({ maxLength: 128, description: 'Id that a tool call and its result share.' }),
    ),
    toolName: Type.Optional(
      Type.String({ maxLength: 64, description: 'Name of the tool of a tool call or its result.' }),
    ),
    errorDetails: Type.Optional(Type.String({ maxLength: 4096, description: 'Why the tool failed.' })),
    medium: Type.Optional(described(MessageMediumEnum, 'Whether the message was spoken or written.')),
    callStageMessageIndex: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'Position in the call stage, from 0.',
      }),
    ),
    callStageId: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the call stage.' })),
    callState: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'State of the call stage after the tool call.',
      }),
    ),
    timespan: described(
      Type.Optional(Timespan),
      'When the message was spoken, as a position in the audio of the call.',
    ),
    wallClockTimespan: described(Type.Optional(Timespan), 'When the message was spoken, in wall-clock time.'),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Further data of the message.' }),
    ),
  },
  'Message',
  'One entry of a conversation.',
);
export type Message = Static<typeof Message>;
