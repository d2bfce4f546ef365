import { Type, type Static } from 'typebox';

/** A tool call to make. */
const ScriptedToolCall = Type.Object(
  {
    name: Type.String(),
    /** An object is sent as JSON, a string as it is; default: no arguments. */
    arguments: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())])),
    /** Default: a unique id. */
    id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** Text, or optional text followed by tool calls. */
export const ChatReply = Type.Union([
  Type.String(),
  Type.Object(
    { text: Type.Optional(Type.String()), toolCalls: Type.Array(ScriptedToolCall, { minItems: 1 }) },
    { additionalProperties: false },
  ),
]);
export type ChatReply = Static<typeof ChatReply>;

/** A reply to a certain message. */
export const ChatRule = Type.Object(
  {
    /** Required role of the last message; `tool` means a tool result. */
    last: Type.Enum(['system', 'user', 'assistant', 'tool']),
    /** Required content, case-insensitive. */
    contains: Type.String(),
    reply: ChatReply,
  },
  { additionalProperties: false },
);
export type ChatRule = Static<typeof ChatRule>;

export const ToolCallStyle = Type.Enum([
  /**
   * Id and name first, the arguments in chunks of 5 characters, several calls interleaved; ends with
   * `tool_calls`.
   */
  'pieces',
  /** Each call complete in one event, all with index 0, as some servers do; ends with `tool_calls`. */
  'whole',
  /** In chunks, one call after the other, without ids and indices; ends with `stop`. */
  'bare',
]);
export type ToolCallStyle = Static<typeof ToolCallStyle>;

const PIECE_CHARACTERS = 5;

interface NumberedCall {
  index: number;
  id: string;
  name: string;
  pieces: string[];
}

export interface ReplyEvents {
  /** The `delta` of each event, in order. */
  deltas: object[];
  finishReason: 'stop' | 'tool_calls';
}

export function tokensOf(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}

/** `requestId` generates the ids of calls without one. */
export function replyEvents(reply: ChatReply, style: ToolCallStyle, requestId: string): ReplyEvents {
  const { text = '', toolCalls = [] } = typeof reply === 'string' ? { text: reply } : reply;
  const words = tokensOf(text).map((content) => ({ content }));
  if (toolCalls.length === 0) return { deltas: words, finishReason: 'stop' };
  const calls = toolCalls.map((call, index): NumberedCall => {
    const args = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
    const pieces = args.match(new RegExp(`[^]{1,${PIECE_CHARACTERS}}`, 'g')) ?? [];
    return { index, id: call.id ?? `call_${requestId}_${index}`, name: call.name, pieces };
  });
  return {
    deltas: [...words, ...DELTAS[style](calls).map((delta) => ({ content: null, tool_calls: [delta] }))],
    finishReason: style === 'bare' ? 'stop' : 'tool_calls',
  };
}

const DELTAS: Readonly<Record<ToolCallStyle, (calls: readonly NumberedCall[]) => object[]>> = {
  pieces: (calls) => {
    const rounds = Math.max(...calls.map(({ pieces }) => pieces.length));
    return [
      ...calls.map(({ index, id, name }) => ({
        index,
        id,
        type: 'function',
        function: { name, arguments: '' },
      })),
      ...Array.from({ length: rounds }).flatMap((_, round) =>
        calls.flatMap(({ index, pieces }) => {
          const piece = pieces[round];
          return piece === undefined ? [] : [{ index, function: { arguments: piece } }];
        }),
      ),
    ];
  },
  whole: (calls) =>
    calls.map(({ id, name, pieces }) => ({
      index: 0,
      id,
      type: 'function',
      function: { name, arguments: pieces.join('') },
    })),
  bare: (calls) =>
    calls.flatMap(({ name, pieces }) => [
      { function: { name } },
      ...pieces.map((piece) => ({ function: { arguments: piece } })),
    ]),
};
