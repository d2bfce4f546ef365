import type { SpeechChunk } from '@calls/engine-ports/text-to-speech';
import { SentencePrefetcher, type StartSentence } from './sentence-prefetcher.ts';

/**
 * Speaks sentence by sentence. The next sentence is requested as soon as its text is available, while the current one
 * is still being read; never more than one ahead. Skips sentences without letters and digits.
 */
export async function* speakSentences(
  sentences: AsyncIterable<string>,
  start: StartSentence,
  signal: AbortSignal,
): AsyncGenerator<SpeechChunk, void, undefined> {
  const ahead = new SentencePrefetcher(sentences, signal, start);
  try {
    for (let current = await ahead.next(); current !== undefined; current = await ahead.next()) {
      for await (const chunk of current.chunks()) {
        signal.throwIfAborted();
        yield chunk;
      }
    }
    signal.throwIfAborted();
  } finally {
    ahead.close();
  }
}
