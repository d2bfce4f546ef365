import type { LanguageModel, ModelChunk, ModelRequest } from '@calls/conversation';
import { delay, type Clock } from '@calls/foundation';
import { messageText } from '../message-text.ts';
import { composeReply } from './compose-reply.ts';
import { countWords, wordPieces } from './word-pieces.ts';

/** Its name in the catalogue of models. */
export const SVC_LOCAL = 'svc-local';

export interface SvcLocalOptions {
  clock: Clock;
  /** Before each piece of a word; default 10, some 60 words a second. */
  tokenDelayMs?: number;
}

/**
 * The model that is always there: a script, not a neural network. The same messages give the same answer, but for the time
 * of day. It speaks English, says what it is when asked, and counts words as tokens.
 */
export function createSvcLocal(options: SvcLocalOptions): LanguageModel {
  const { clock, tokenDelayMs = 10 } = options;
  return {
    hearsAudio: () => false,
    respond: (request, signal) => respond(request, signal, clock, tokenDelayMs),
  };
}

async function* respond(
  { messages }: ModelRequest,
  signal: AbortSignal,
  clock: Clock,
  tokenDelayMs: number,
): AsyncGenerator<ModelChunk, void, undefined> {
  signal.throwIfAborted();
  const reply = composeReply(messages, clock.wallMs());
  for (const text of wordPieces(reply)) {
    await delay(clock, tokenDelayMs, signal);
    yield { type: 'text', text };
    signal.throwIfAborted();
  }
  const inputTokens = messages.reduce((sum, message) => sum + countWords(messageText(message)), 0);
  yield { type: 'usage', inputTokens, outputTokens: countWords(reply) };
}
