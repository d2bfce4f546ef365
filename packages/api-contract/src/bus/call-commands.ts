import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { NOT_REACHED_REASONS } from '@calls/providers/telephony/telephony-vendor';
import { Type, type Static } from 'typebox';
import { HangUpMessage, UserTextMessage } from '../data-messages/client-messages.ts';
import { ForcedAgentMessage } from '../data-messages/forced-agent-message.ts';

/** A data message that is sent through the REST API instead of by the client. */
export const SentMessage = Type.Union([UserTextMessage, ForcedAgentMessage, HangUpMessage]);
export type SentMessage = Static<typeof SentMessage>;

/** A command to a live call. */
export const CallCommand = Type.Union([
  Closed({ kind: Type.Literal('send_message'), message: SentMessage }),
  /** Ends the call, even if it waits for its client. */
  Closed({ kind: Type.Literal('end') }),
  /**
   * The dialled phone was busy or not answered, so no client will join. If a client has joined, the phone call is over.
   * `reason` is for phones of warm transfers, which are addressed by the id of the leg instead of the call.
   */
  Closed({
    kind: Type.Literal('not_reached'),
    detail: Type.String({ maxLength: 1000 }),
    reason: Type.Optional(Type.Enum(NOT_REACHED_REASONS)),
  }),
  /** Does nothing. Any reply means that a worker holds the call; `not_joined`: it waits for its client to return. */
  Closed({ kind: Type.Literal('status') }),
]);
export type CallCommand = Static<typeof CallCommand>;

export const CallCommandReply = Closed({
  /**
   * `accepted`: the command was carried out or has started. `not_joined`: the call waits for its client, or has ended.
   */
  outcome: Type.Enum(['accepted', 'not_joined']),
});
export type CallCommandReply = Static<typeof CallCommandReply>;

export const callCommandValidator = compileValidator('call command', CallCommand);
export const callCommandReplyValidator = compileValidator('call command reply', CallCommandReply);

/** Requests to the worker that holds the call. If no worker holds it, the subject has no responder. */
export function callCommandsSubject(callId: string): string {
  return `calls.${callId}.commands`;
}
