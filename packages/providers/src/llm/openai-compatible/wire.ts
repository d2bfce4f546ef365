import { compileValidator } from '@calls/api-contract';
import type { ModelRequest } from '@calls/conversation';
import { Type, type Static } from 'typebox';

/** The value of the last `data:` line of a complete answer. */
export const DONE = '[DONE]';

/** One `data:` line of a streamed chat completion: the fields read here; all others are ignored. */
export const ChatCompletionChunk = Type.Object({
  choices: Type.Optional(
    Type.Array(
      Type.Object({
        delta: Type.Optional(
          Type.Union([
            Type.Null(),
            Type.Object({ content: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
          ]),
        ),
        finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
  ),
  usage: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Object({
        prompt_tokens: Type.Integer({ minimum: 0 }),
        completion_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
      }),
    ]),
  ),
  /** What a server that fails after its 200 sends in place of choices. */
  error: Type.Optional(Type.Unknown()),
});
export type ChatCompletionChunk = Static<typeof ChatCompletionChunk>;

export const chatCompletionChunk = compileValidator('chat completion chunk', ChatCompletionChunk);

export function chatCompletionBody(model: string, request: ModelRequest): Buffer {
  return Buffer.from(
    JSON.stringify({
      model,
      messages: request.messages.map(({ role, content }) => ({ role, content })),
      temperature: request.temperature,
      stream: true,
      stream_options: { include_usage: true },
    }),
  );
}
