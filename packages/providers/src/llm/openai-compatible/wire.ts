import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';

/** Value of the last `data:` line of a complete response. */
export const DONE = '[DONE]';

/** Servers omit fields that do not apply, or send null. */
const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/** A part of a tool call: usually one with id and name, and any number with arguments. */
const ToolCallDelta = Type.Object({
  index: Maybe(Type.Integer({ minimum: 0 })),
  id: Maybe(Type.String()),
  function: Maybe(
    Type.Object({
      name: Maybe(Type.String()),
      /** Some releases of llama.cpp and TGI send the object itself. */
      arguments: Maybe(Type.Union([Type.String(), Type.Object({})])),
    }),
  ),
});
export type ToolCallDelta = Static<typeof ToolCallDelta>;

const ContentPart = Type.Object({ type: Type.String(), text: Maybe(Type.String()) });

/** One `data:` line of a streamed chat completion. Other fields are ignored. */
export const ChatCompletionChunk = Type.Object({
  choices: Maybe(
    Type.Array(
      Type.Object({
        delta: Maybe(
          Type.Object({
            /** Mistral's models that think send parts; those of type `text` are the answer. */
            content: Maybe(Type.Union([Type.String(), Type.Array(ContentPart)])),
            /** What the model thinks, as vLLM, SGLang, llama.cpp and DeepSeek name it, and as Ollama and OpenRouter do. */
            reasoning_content: Type.Optional(Type.Unknown()),
            reasoning: Type.Optional(Type.Unknown()),
            tool_calls: Maybe(Type.Array(ToolCallDelta)),
          }),
        ),
        finish_reason: Maybe(Type.String()),
      }),
    ),
  ),
  usage: Maybe(
    Type.Object({
      prompt_tokens: Maybe(Type.Integer({ minimum: 0 })),
      completion_tokens: Maybe(Type.Integer({ minimum: 0 })),
    }),
  ),
  /** Sent instead of choices by servers that fail after the 200 status. */
  error: Type.Optional(Type.Unknown()),
});
export type ChatCompletionChunk = Static<typeof ChatCompletionChunk>;

export const chatCompletionChunk = compileValidator('chat completion chunk', ChatCompletionChunk);
