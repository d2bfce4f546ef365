import { msFromSamples } from '@calls/audio/pcm';
import type { WordTiming } from '@calls/engine-ports/text-to-speech';
import type { Deadline } from '../../http/exchange.ts';
import type { SpeechPiece, SpeechSource } from '../speech-source.ts';

/** Word timings at a steady rate, none after the end of the sentence. */
export function estimatedWords(text: string, wordsPerMinute: number, spokenMs: number): WordTiming[] {
  const eachMs = 60_000 / wordsPerMinute;
  return [...text.matchAll(/\S+/g)].map(([word], i) => ({
    word,
    startMs: Math.min(spokenMs, i * eachMs),
    endMs: Math.min(spokenMs, (i + 1) * eachMs),
  }));
}

/** Adds estimated word timings at the end of a sentence's speech. */
export class EstimatedWordsSource implements SpeechSource {
  readonly #source: SpeechSource;
  readonly #text: string;
  readonly #wordsPerMinute: number;
  #spokenMs = 0;
  #ended = false;

  constructor(source: SpeechSource, text: string, wordsPerMinute: number) {
    this.#source = source;
    this.#text = text;
    this.#wordsPerMinute = wordsPerMinute;
  }

  async read(deadline: Deadline): Promise<readonly SpeechPiece[] | null> {
    const pieces = await this.#source.read(deadline);
    for (const piece of pieces ?? []) {
      if (piece.type === 'audio') this.#spokenMs += msFromSamples(piece.samples.length, piece.sampleRateHz);
    }
    if (pieces !== null || this.#ended) return pieces;
    this.#ended = true;
    return [{ type: 'words', words: estimatedWords(this.#text, this.#wordsPerMinute, this.#spokenMs) }];
  }

  close(): void {
    this.#source.close();
  }
}
