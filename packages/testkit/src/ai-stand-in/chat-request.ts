import { parseWav } from '@calls/audio/wav';
import { WavError } from '@calls/audio/wav-header';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import type { LlmSettings } from './behaviour.ts';
import { BadRequest, parseJson } from './exchange.ts';

const Part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String({ minLength: 1 }), format: Type.Literal('wav') }),
  }),
]);

const ToolCall = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.Literal('function'),
  function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }),
});

const Message = Type.Union([
  Type.Object({ role: Type.Literal('system'), content: Type.String() }),
  Type.Object({
    role: Type.Literal('user'),
    content: Type.Union([Type.String(), Type.Array(Part, { minItems: 1 })]),
  }),
  Type.Object({
    role: Type.Literal('assistant'),
    content: Type.String(),
    tool_calls: Type.Optional(Type.Never()),
  }),
  Type.Object({
    role: Type.Literal('assistant'),
    content: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
    tool_calls: Type.Array(ToolCall, { minItems: 1 }),
  }),
  Type.Object({
    role: Type.Literal('tool'),
    tool_call_id: Type.String({ minLength: 1 }),
    content: Type.String(),
  }),
]);
type Message = Static<typeof Message>;

const ChatRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(Message, { minItems: 1 }),
  tools: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Literal('function'),
        function: Type.Object({
          name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }),
          description: Type.String(),
          parameters: Type.Object({ type: Type.Literal('object') }),
        }),
      }),
      { minItems: 1 },
    ),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  stream: Type.Literal(true),
  stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
});
export type ChatRequest = Static<typeof ChatRequest>;

const chatRequest = compileValidator('chat completion request', ChatRequest);

/**
 * Strict like hosted servers and chat templates: every tool call is followed by its result, no result lacks its call, and
 * with `strictOrder` user and assistant speak in turn.
 */
export function readChatRequest(
  body: Buffer,
  { strictOrder }: Pick<LlmSettings, 'strictOrder'>,
): ChatRequest {
  const request = chatRequest.parse(parseJson(body));
  if (strictOrder) assertAlternating(request.messages);
  const open = new Set<string>();
  for (const message of request.messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        throw new BadRequest("messages with role 'tool' must be a response to a preceding 'tool_calls'");
      }
      continue;
    }
    assertAnswered(open);
    if (message.role !== 'assistant') continue;
    for (const { id, function: called } of message.tool_calls ?? []) {
      assertObject(called.arguments);
      open.add(id);
    }
  }
  assertAnswered(open);
  return request;
}

function assertAlternating(messages: readonly Message[]): void {
  let last: Message['role'] | null = 'assistant';
  for (const [index, { role }] of messages.entries()) {
    if (role === 'system' && index > 0)
      throw new BadRequest('only the first message may have the role system');
    if (role === last) throw new BadRequest('conversation roles must alternate user/assistant');
    if (role !== 'system') last = role === 'tool' ? null : role;
  }
}

function assertAnswered(open: ReadonlySet<string>): void {
  if (open.size > 0) {
    throw new BadRequest("an assistant message with 'tool_calls' must be followed by tool messages to each");
  }
}

function assertObject(text: string): void {
  const value = parseJson(Buffer.from(text));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadRequest('the arguments of a tool call are not a JSON object');
  }
}

/** The text of a message; audio has none. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
}

/** The parts of a request that tests read. */
export function summaryOf(request: ChatRequest): Record<string, unknown> {
  const { messages } = request;
  const lastUser = messages.findLast(({ role }) => role === 'user');
  return {
    model: request.model,
    messages: messages.length,
    temperature: request.temperature,
    includeUsage: request.stream_options?.include_usage ?? false,
    lastUser: lastUser ? textOf(lastUser) : '',
    /** Text of each message, oldest first. */
    history: messages.map((message) => textOf(message)),
    /** Each with its name, description and parameters. */
    tools: (request.tools ?? []).map((tool) => tool.function),
    toolCalls: messages.flatMap((message) =>
      message.role === 'assistant'
        ? (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called }))
        : [],
    ),
    toolResults: messages.flatMap((message) =>
      message.role === 'tool' ? [{ id: message.tool_call_id, content: message.content }] : [],
    ),
    /** Of all messages, oldest first. */
    audio: messages.flatMap(({ content }) =>
      Array.isArray(content)
        ? content.flatMap((part) => (part.type === 'input_audio' ? [soundOf(part.input_audio.data)] : []))
        : [],
    ),
  };
}

function soundOf(base64: string): { sampleRateHz: number; audioMs: number } {
  try {
    const { sampleRateHz, samples } = parseWav(Buffer.from(base64, 'base64'));
    return { sampleRateHz, audioMs: (samples.length * 1000) / sampleRateHz };
  } catch (thrown) {
    if (thrown instanceof WavError) throw new BadRequest(`input_audio is no WAV file: ${thrown.message}`);
    throw thrown;
  }
}
