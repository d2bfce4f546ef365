import { randomUUID } from 'node:crypto';
import type { LlmSettings } from './behaviour.ts';
import { replyEvents, tokensOf, type ChatReply } from './chat-reply.ts';
import { readChatRequest, summaryOf, textOf, type ChatRequest } from './chat-request.ts';
import type { ServedExchange } from './exchange.ts';
import type { Replies } from './replies.ts';

const ECHOED_WORDS = 8;

/** `POST /v1/chat/completions`, streamed. */
export async function handleChat(
  exchange: ServedExchange,
  settings: LlmSettings,
  replies: Replies<ChatReply>,
): Promise<void> {
  const request = readChatRequest(exchange.body, settings);
  exchange.summary.asked = summaryOf(request);
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
  const reply = ruledReply(request, settings) ?? replies.next(settings.replies) ?? defaultReply(request);
  const { deltas, finishReason } = replyEvents(reply, settings.toolCallStyle, randomUUID().slice(0, 8));
  const stopAfter = Math.ceil(deltas.length / 2);
  const event = eventsOf(request);
  exchange.write(event(choice({ role: 'assistant', content: '' })));
  for (const [index, delta] of deltas.entries()) {
    if (index > 0) await exchange.wait(settings.tokenGapMs);
    if (index === stopAfter && settings.behaviour === 'cut') {
      exchange.breakConnection();
      return;
    }
    if (index === stopAfter && settings.behaviour === 'stall') return exchange.hold();
    exchange.write(event(choice(delta)));
  }
  exchange.write(event(choice({}, finishReason)));
  if (request.stream_options?.include_usage === true) {
    const promptTokens = request.messages.reduce((sum, message) => sum + tokensOf(textOf(message)).length, 0);
    const usage = { prompt_tokens: promptTokens, completion_tokens: deltas.length };
    exchange.write(event({ choices: [], usage: { ...usage, total_tokens: promptTokens + deltas.length } }));
  }
  exchange.write('data: [DONE]\n\n');
  exchange.end();
}

function choice(delta: object, finishReason: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

/** Writes chunks of one response as server-sent events. */
function eventsOf({ model }: ChatRequest): (chunk: object) => string {
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model,
  };
  return (chunk) => `data: ${JSON.stringify({ ...head, ...chunk })}\n\n`;
}

function ruledReply({ messages }: ChatRequest, { rules }: LlmSettings): ChatReply | undefined {
  const last = messages.at(-1);
  if (!last) return undefined;
  const words = textOf(last).toLowerCase();
  return rules.find((rule) => rule.last === last.role && words.includes(rule.contains.toLowerCase()))?.reply;
}

/**
 * Two sentences, the first quoting the last user or tool message, so that a test can match response and
 * request.
 */
function defaultReply({ messages }: ChatRequest): string {
  const last = messages.at(-1);
  if (last?.role === 'tool') return `The tool says ${echoed(textOf(last))}. Is there anything else?`;
  const user = messages.findLast(({ role }) => role === 'user');
  const words = user ? echoed(textOf(user)) : '';
  return words === ''
    ? 'Hello, this is the stand-in speaking. What can I do for you today?'
    : `I understood that you said ${words}. Is there anything else that I can do for you today?`;
}

function echoed(text: string): string {
  return text
    .replace(/[.!?]+\s*$/, '')
    .split(/\s+/)
    .slice(-ECHOED_WORDS)
    .join(' ');
}
