import type { LanguageModel, ModelChunk, ModelRequest } from '@calls/engine-ports/language-model';
import { delay, type Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { messageText } from '../message-text.ts';
import { composeReply } from './compose-reply.ts';
import { countWords, wordPieces } from './word-pieces.ts';

export interface SvcLocalOptions {
  clock: Clock;
  /** Delay before each part of a word; default 10, about 60 words per second. */
  tokenDelayMs?: number;
}

/**
 * The embedded model: a script, not a neural network. Equal messages give equal responses, except for the time of day
 * and the ids of tool calls. It speaks English, says what it is when asked, calls requested tools if the caller's words
 * contain all arguments, and counts words as tokens.
 */
export function createSvcLocal(options: SvcLocalOptions): LanguageModel {
  const { clock, tokenDelayMs = 10 } = options;
  return {
    acceptsAudio: () => false,
    respond: (request, signal) => respond(request, signal, clock, tokenDelayMs),
  };
}

async function* respond(
  { messages, tools }: ModelRequest,
  signal: AbortSignal,
  clock: Clock,
  tokenDelayMs: number,
): AsyncGenerator<ModelChunk, void, undefined> {
  signal.throwIfAborted();
  const { text: said, call } = composeReply(messages, clock.wallMs(), tools);
  for (const text of wordPieces(said)) {
    await delay(clock, tokenDelayMs, signal);
    yield { type: 'text', text };
    signal.throwIfAborted();
  }
  if (call) {
    await delay(clock, tokenDelayMs, signal);
    const { name, arguments: values } = call;
    yield {
      type: 'tool_call',
      call: { id: `call_${newId()}`, name, arguments: JSON.stringify(values) },
    };
    signal.throwIfAborted();
  }
  const inputTokens = messages.reduce((sum, message) => sum + countWords(messageText(message)), 0);
  yield { type: 'usage', inputTokens, outputTokens: countWords(said) };
}
