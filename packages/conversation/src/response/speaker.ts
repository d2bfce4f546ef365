import type { VoiceSelection } from '@calls/api-contract/call-spec';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Sentence } from './sentence-builder.ts';
import { SentenceFeed } from './sentence-feed.ts';

export type SpokenChunk =
  | Exclude<SpeechChunk, { type: 'sentence' }>
  /** The audio that follows speaks this sentence. */
  | { type: 'sentence'; shown: string };

export interface SpeakerOptions {
  textToSpeech: TextToSpeech;
  voice: VoiceSelection;
  /** Used if the call's voice fails; null: no fallback. */
  fallbackVoice: VoiceSelection | null;
  languageHint: string | null;
  /** See SynthesisOptions. */
  signatureHeaders: () => Readonly<Record<string, string>>;
  clock: Clock;
  onError: (error: Error) => void;
}

/** The call's voice is not retried for this long after an error. */
const VOICE_COOLDOWN_MS = 30_000;
/** Timeout for the first audio of a filler phrase. */
const FILLER_TIMEOUT_MS = 400;

/** Speaks text with the call's voice and falls back to the fallback voice. All TTS retries happen here. */
export class Speaker {
  readonly #options: SpeakerOptions;
  #cooldownUntilMs = 0;

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  speak(pieces: AsyncIterable<Sentence>, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    return this.#speak(new SentenceFeed(pieces), signal, null);
  }

  /** Speaks a filler phrase; uses the fallback voice if the call's voice is slow. */
  speakSoon(text: string, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    return this.#speak(
      new SentenceFeed(once({ shown: `${text} `, spoken: text })),
      signal,
      FILLER_TIMEOUT_MS,
    );
  }

  /** `firstAudioTimeoutMs`: timeout for the first audio; null: the adapter's own timeout. */
  async *#speak(
    feed: SentenceFeed,
    signal: AbortSignal,
    firstAudioTimeoutMs: number | null,
  ): AsyncGenerator<SpokenChunk> {
    const { voice, fallbackVoice, clock, onError } = this.#options;
    if (!fallbackVoice) {
      yield* this.#speakWith(voice, feed, signal);
      return;
    }
    if (clock.nowMs() >= this.#cooldownUntilMs) {
      const late = new AbortController();
      const giveUp = (): void => late.abort(new Error('TTS timed out'));
      const timer = firstAudioTimeoutMs === null ? null : clock.setTimer(firstAudioTimeoutMs, giveUp);
      try {
        for await (const chunk of this.#speakWith(voice, feed, AbortSignal.any([signal, late.signal]))) {
          timer?.cancel();
          yield chunk;
        }
        return;
      } catch (thrown) {
        signal.throwIfAborted();
        if (!late.signal.aborted) {
          this.#cooldownUntilMs = clock.nowMs() + VOICE_COOLDOWN_MS;
          onError(toError(thrown));
        }
      } finally {
        timer?.cancel();
      }
    }
    yield* this.#speakWith(fallbackVoice, feed, signal);
  }

  /** A sentence counts as spoken with its first audio; the rest remains in `feed` for the next voice. */
  async *#speakWith(
    voice: VoiceSelection,
    feed: SentenceFeed,
    signal: AbortSignal,
  ): AsyncGenerator<SpokenChunk> {
    const { textToSpeech, languageHint, signatureHeaders } = this.#options;
    const options = { voice, languageHint, signatureHeaders };
    let announced: string | null = null;
    for await (const chunk of textToSpeech.synthesize(feed.read(), options, signal)) {
      switch (chunk.type) {
        case 'sentence':
          announced = chunk.text;
          break;
        case 'audio':
          if (chunk.samples.length === 0) break;
          if (announced !== null) yield { type: 'sentence', shown: feed.take(announced) };
          announced = null;
          yield chunk;
          break;
        case 'words':
          yield chunk;
          break;
      }
    }
  }
}

async function* once(piece: Sentence): AsyncGenerator<Sentence> {
  await Promise.resolve();
  yield piece;
}
