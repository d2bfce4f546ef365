import { compileValidator } from '@calls/api-contract/validation/validator';
import { Type, type Static, type TSchema } from 'typebox';

/** The value of the last `data:` line of a complete answer. */
export const DONE = '[DONE]';

/** Servers leave out or send as null what does not apply. */
const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/** A piece of a tool call: id and name mostly come once, arguments in any number of pieces. */
const ToolCallDelta = Type.Object({
  index: Maybe(Type.Integer({ minimum: 0 })),
  id: Maybe(Type.String()),
  function: Maybe(Type.Object({ name: Maybe(Type.String()), arguments: Maybe(Type.String()) })),
});
export type ToolCallDelta = Static<typeof ToolCallDelta>;

/** One `data:` line of a streamed chat completion: the fields read here; all others are ignored. */
export const ChatCompletionChunk = Type.Object({
  choices: Type.Optional(
    Type.Array(
      Type.Object({
        delta: Maybe(
          Type.Object({ content: Maybe(Type.String()), tool_calls: Maybe(Type.Array(ToolCallDelta)) }),
        ),
        finish_reason: Maybe(Type.String()),
      }),
    ),
  ),
  usage: Maybe(
    Type.Object({
      prompt_tokens: Type.Integer({ minimum: 0 }),
      completion_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  /** What a server that fails after its 200 sends in place of choices. */
  error: Type.Optional(Type.Unknown()),
});
export type ChatCompletionChunk = Static<typeof ChatCompletionChunk>;

export const chatCompletionChunk = compileValidator('chat completion chunk', ChatCompletionChunk);
