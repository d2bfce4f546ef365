import { compileValidator } from '@calls/api-contract';
import { Type } from 'typebox';
import type { LlmSettings } from './behaviour.ts';
import { parseJson, type ServedExchange } from './exchange.ts';
import type { Replies } from './replies.ts';

const chatRequest = compileValidator(
  'chat completion request',
  Type.Object({
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(
      Type.Object({ role: Type.Enum(['system', 'user', 'assistant']), content: Type.String() }),
      { minItems: 1 },
    ),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    stream: Type.Literal(true),
    stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
  }),
);

const ECHOED_WORDS = 8;

/** `POST /v1/chat/completions`, streamed. */
export async function answerChat(
  exchange: ServedExchange,
  settings: LlmSettings,
  replies: Replies,
): Promise<void> {
  const request = chatRequest.parse(parseJson(exchange.body));
  const lastUser = request.messages.findLast((message) => message.role === 'user')?.content ?? '';
  exchange.summary.asked = {
    model: request.model,
    messages: request.messages.length,
    temperature: request.temperature,
    includeUsage: request.stream_options?.include_usage ?? false,
    lastUser,
  };
  exchange.head(200, 'text/event-stream; charset=utf-8');
  await exchange.wait(settings.firstTokenMs);
  if (settings.behaviour === 'garbage') {
    exchange.write('data: {"choices": [{"delta": {"content": 42}}]}\n\ndata: <html>\n\n');
    exchange.end();
    return;
  }
  if (settings.behaviour === 'empty') {
    exchange.end();
    return;
  }
  const tokens = tokensOf(replies.next(settings.replies) ?? defaultReply(lastUser));
  const stopAfter = Math.ceil(tokens.length / 2);
  exchange.write(
    event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
  );
  for (const [index, token] of tokens.entries()) {
    if (index > 0) await exchange.wait(settings.tokenGapMs);
    if (index === stopAfter && settings.behaviour === 'cut') {
      exchange.breakConnection();
      return;
    }
    if (index === stopAfter && settings.behaviour === 'stall') return exchange.hold();
    exchange.write(event({ choices: [{ index: 0, delta: { content: token }, finish_reason: null }] }));
  }
  exchange.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  if (request.stream_options?.include_usage === true) {
    const promptTokens = request.messages.reduce((sum, message) => sum + tokensOf(message.content).length, 0);
    const usage = { prompt_tokens: promptTokens, completion_tokens: tokens.length };
    exchange.write(event({ choices: [], usage: { ...usage, total_tokens: promptTokens + tokens.length } }));
  }
  exchange.write('data: [DONE]\n\n');
  exchange.end();
}

function event(chunk: object): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-stand-in', object: 'chat.completion.chunk', ...chunk })}\n\n`;
}

function tokensOf(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}

/** Two sentences, the first with the last words of the user, so that a listener can tell whose answer it is. */
function defaultReply(lastUser: string): string {
  const words = lastUser
    .replace(/[.!?]+\s*$/, '')
    .split(/\s+/)
    .slice(-ECHOED_WORDS)
    .join(' ');
  return words === ''
    ? 'Hello, this is the stand-in speaking. What can I do for you today?'
    : `I understood that you said ${words}. Is there anything else that I can do for you today?`;
}
