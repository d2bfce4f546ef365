import type { VoiceSelection } from '@calls/api-contract/call-spec';
import { cooldownMsAfter } from '@calls/engine-ports/provider-error';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Sentence } from './sentence-builder.ts';
import { SentenceFeed } from './sentence-feed.ts';
import type { SentenceUpdate } from './sentence-updates.ts';

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

/** Timeout for the first audio of a filler phrase. */
const FILLER_TIMEOUT_MS = 400;

/** Speaks text with the call's voice and falls back to the fallback voice. All TTS retries happen here. */
export class Speaker {
  readonly #options: SpeakerOptions;
  /** Time until which the call's voice is not used after an error. */
  #cooldownUntilMs = 0;

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  /** Requests the audio of a likely first sentence early, and drops it if the final sentence differs. */
  async *speak(updates: AsyncIterable<SentenceUpdate>, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    const source = updates[Symbol.asyncIterator]();
    let update = await source.next();
    while (!update.done && update.value.type !== 'sentence') {
      if (update.value.type === 'unlikely') {
        update = await source.next();
        continue;
      }
      const { sentence } = update.value;
      using early = this.#speakEarly(sentence, source, signal);
      update = await source.next();
      if (update.done || update.value.type !== 'sentence') continue;
      if (update.value.sentence.shown !== sentence.shown) continue;
      yield* early.confirm();
      return;
    }
    if (update.done) return;
    yield* this.#speak(new SentenceFeed(sentencesFrom(update.value, source)), signal, null);
  }

  /** Speaks `sentence`, and those of `source` once confirmed. Stops when disposed. */
  #speakEarly(sentence: Sentence, source: AsyncIterator<SentenceUpdate>, signal: AbortSignal): EarlySpeech {
    const drop = new AbortController();
    const confirmed = Promise.withResolvers<boolean>();
    async function* sentences(): AsyncGenerator<Sentence> {
      yield sentence;
      if (await confirmed.promise) yield* sentencesFrom(null, source);
    }
    const either = AbortSignal.any([signal, drop.signal]);
    const chunks = this.#speak(new SentenceFeed(sentences()), either, null);
    const first = chunks.next();
    // It rejects unobserved if the speech is dropped.
    first.catch(() => undefined);
    return {
      async *confirm() {
        confirmed.resolve(true);
        const chunk = await first;
        if (chunk.done) return;
        yield chunk.value;
        yield* chunks;
      },
      [Symbol.dispose]() {
        confirmed.resolve(false);
        drop.abort(new Error('early speech dropped'));
        void chunks.return(undefined);
      },
    };
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
          this.#cooldownUntilMs = clock.nowMs() + cooldownMsAfter(thrown);
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

interface EarlySpeech extends Disposable {
  /** Yields the audio, because the sentence has been confirmed. */
  confirm(): AsyncGenerator<SpokenChunk>;
}

/** Yields the sentence of `update`, if any, and all later sentences. */
async function* sentencesFrom(
  update: SentenceUpdate | null,
  source: AsyncIterator<SentenceUpdate>,
): AsyncGenerator<Sentence> {
  if (update?.type === 'sentence') yield update.sentence;
  for (let next = await source.next(); !next.done; next = await source.next()) {
    if (next.value.type === 'sentence') yield next.value.sentence;
  }
}

async function* once(piece: Sentence): AsyncGenerator<Sentence> {
  await Promise.resolve();
  yield piece;
}
