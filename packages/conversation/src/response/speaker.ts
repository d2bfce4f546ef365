import { BoundedQueue, toError, type Clock } from '@calls/foundation';
import type { VoiceSelection } from '@calls/api-contract';
import type { SpeechChunk, TextToSpeech } from '../ports/text-to-speech.ts';
import type { SentencePiece } from './sentence-splitter.ts';

export type SpokenChunk =
  | Exclude<SpeechChunk, { type: 'sentence' }>
  /** The audio that follows speaks this piece. */
  | { type: 'sentence'; raw: string };

export interface SpeakerOptions {
  textToSpeech: TextToSpeech;
  voice: VoiceSelection;
  /** Speaks where the call's voice fails; null: then nothing does. */
  fallbackVoice: VoiceSelection | null;
  languageHint: string | null;
  clock: Clock;
  onFault: (fault: Error) => void;
}

/** For this long after a fault the call's voice is not tried again. */
const VOICE_REST_MS = 30_000;
/** Sentences that a voice may have taken and not yet spoken. */
const MAX_AHEAD = 64;

/** The voice of one call. The one owner of retries: what the call's voice fails to speak, the fallback voice does. */
export class Speaker {
  readonly #options: SpeakerOptions;
  #restingUntilMs = 0;

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  async *speak(pieces: AsyncIterable<SentencePiece>, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    const { voice, fallbackVoice, clock, onFault } = this.#options;
    const source = pieces[Symbol.asyncIterator]();
    const unspoken: SentencePiece[] = [];
    if (!fallbackVoice) {
      yield* this.#speakWith(voice, source, unspoken, signal);
      return;
    }
    if (clock.nowMs() >= this.#restingUntilMs) {
      try {
        yield* this.#speakWith(voice, source, unspoken, signal);
        return;
      } catch (thrown) {
        signal.throwIfAborted();
        this.#restingUntilMs = clock.nowMs() + VOICE_REST_MS;
        onFault(toError(thrown));
      }
    }
    yield* this.#speakWith(fallbackVoice, source, unspoken, signal);
  }

  /** Speaks a phrase that must not depend on the call's voice. */
  async *speakWithFallback(text: string, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    const { voice, fallbackVoice } = this.#options;
    const source = once({ raw: `${text} `, spoken: text });
    yield* this.#speakWith(fallbackVoice ?? voice, source, [], signal);
  }

  /** `unspoken`: what was taken from the source and has no audio yet; comes first, and is kept for whoever comes next. */
  async *#speakWith(
    voice: VoiceSelection,
    source: AsyncIterator<SentencePiece>,
    unspoken: SentencePiece[],
    signal: AbortSignal,
  ): AsyncGenerator<SpokenChunk> {
    const raws = new BoundedQueue<string>(MAX_AHEAD, 'reject');
    const taken = takeSentences(source, unspoken, raws);
    const { textToSpeech, languageHint } = this.#options;
    let current: string | null = null;
    for await (const chunk of textToSpeech.synthesize(taken, { voice, languageHint }, signal)) {
      switch (chunk.type) {
        case 'sentence': {
          const next = await raws.next();
          current = next.done ? chunk.text : next.value;
          break;
        }
        case 'audio':
          if (chunk.samples.length === 0) break;
          if (current !== null) {
            unspoken.shift();
            yield { type: 'sentence', raw: current };
            current = null;
          }
          yield chunk;
          break;
        case 'words':
          yield chunk;
          break;
      }
    }
  }
}

async function* takeSentences(
  source: AsyncIterator<SentencePiece>,
  unspoken: SentencePiece[],
  raws: BoundedQueue<string>,
): AsyncGenerator<string> {
  for (const piece of [...unspoken]) {
    raws.push(piece.raw);
    yield piece.spoken;
  }
  for (;;) {
    const next = await source.next();
    if (next.done) return;
    unspoken.push(next.value);
    raws.push(next.value.raw);
    yield next.value.spoken;
  }
}

async function* once(piece: SentencePiece): AsyncGenerator<SentencePiece> {
  await Promise.resolve();
  yield piece;
}
