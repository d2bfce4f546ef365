import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { VoiceSelection } from '@calls/api-contract/call-spec';
import type { SpeechChunk, TextToSpeech } from '../ports/text-to-speech.ts';
import { SentenceFeed } from './sentence-feed.ts';
import type { Sentence } from './sentence-builder.ts';

export type SpokenChunk =
  | Exclude<SpeechChunk, { type: 'sentence' }>
  /** The audio that follows speaks this piece. */
  | { type: 'sentence'; shown: string };

export interface SpeakerOptions {
  textToSpeech: TextToSpeech;
  voice: VoiceSelection;
  /** Speaks where the call's voice fails; null: then nothing does. */
  fallbackVoice: VoiceSelection | null;
  languageHint: string | null;
  /** Of one request to an address of the customer's; see SynthesisOptions. */
  signatureHeaders: () => Readonly<Record<string, string>>;
  clock: Clock;
  onFault: (fault: Error) => void;
}

/** For this long after a fault the call's voice is not tried again. */
const VOICE_REST_MS = 30_000;
/** For the first audio of a phrase that is wanted at once. */
const PATIENCE_MS = 400;

/** The voice of one call. The one owner of retries: what the call's voice fails to speak, the fallback voice does. */
export class Speaker {
  readonly #options: SpeakerOptions;
  #restingUntilMs = 0;

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  speak(pieces: AsyncIterable<Sentence>, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    return this.#speak(new SentenceFeed(pieces), signal, null);
  }

  /** Speaks a phrase that is wanted at once: where the call's voice is slow, the fallback voice says it. */
  speakSoon(text: string, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    return this.#speak(new SentenceFeed(once({ shown: `${text} `, spoken: text })), signal, PATIENCE_MS);
  }

  /** `patienceMs`: how long the call's voice has for its first audio; null: as long as its adapter allows. */
  async *#speak(
    feed: SentenceFeed,
    signal: AbortSignal,
    patienceMs: number | null,
  ): AsyncGenerator<SpokenChunk> {
    const { voice, fallbackVoice, clock, onFault } = this.#options;
    if (!fallbackVoice) {
      yield* this.#speakWith(voice, feed, signal);
      return;
    }
    if (clock.nowMs() >= this.#restingUntilMs) {
      const late = new AbortController();
      const giveUp = (): void => late.abort(new Error('the voice is slow'));
      const timer = patienceMs === null ? null : clock.setTimer(patienceMs, giveUp);
      try {
        for await (const chunk of this.#speakWith(voice, feed, AbortSignal.any([signal, late.signal]))) {
          timer?.cancel();
          yield chunk;
        }
        return;
      } catch (thrown) {
        signal.throwIfAborted();
        if (!late.signal.aborted) {
          this.#restingUntilMs = clock.nowMs() + VOICE_REST_MS;
          onFault(toError(thrown));
        }
      } finally {
        timer?.cancel();
      }
    }
    yield* this.#speakWith(fallbackVoice, feed, signal);
  }

  /** A piece counts as spoken with its first audio; what was not is left in `feed` for the next voice. */
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
