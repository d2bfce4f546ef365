import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Closed } from './common.ts';
import { MessageMediumEnum, MessageRole } from './enums.ts';

/** `start` and `end` are durations since the call's join. */
export const Timespan = Closed(
  { start: Type.Optional(Duration), end: Type.Optional(Duration) },
  'InCallTimespan',
);

/** One entry of a conversation: in `initialMessages` of a request and in the messages list of a call. */
export const Message = Closed(
  {
    role: Type.Optional(MessageRole),
    text: Type.Optional(Type.String({ maxLength: 65_536 })),
    invocationId: Type.Optional(Type.String({ maxLength: 128 })),
    toolName: Type.Optional(Type.String({ maxLength: 64 })),
    errorDetails: Type.Optional(Type.String({ maxLength: 4096 })),
    medium: Type.Optional(MessageMediumEnum),
    callStageMessageIndex: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    callStageId: Type.Optional(Type.String({ maxLength: 64 })),
    callState: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    timespan: Type.Optional(Timespan),
    wallClockTimespan: Type.Optional(Timespan),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  'Message',
);
export type Message = Static<typeof Message>;
