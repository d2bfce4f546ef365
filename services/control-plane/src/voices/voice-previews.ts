import type { VoiceSelection } from '@calls/api-contract/call-spec';
import { encodeWav } from '@calls/audio/wav';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { QueueFullError } from '@calls/foundation/bounded-queue';
import type { Clock } from '@calls/foundation/clock';
import { TimeoutError } from '@calls/foundation/errors';
import { Slots } from '@calls/providers/slots';
import { HttpProblem, limited, unavailable } from '../problems/problem.ts';
import { previewSentence } from './preview-sentences.ts';

/** Time limit for waiting and speaking together. */
const LIMIT_MS = 10_000;
const MAX_AUDIO_S = 20;
const MAX_AT_ONCE = 8;
const MAX_WAITING = 64;
const MAX_OF_ACCOUNT = 4;
const RETRY_AFTER_MS = 1000;

/** A voice with its keys and settings. */
export interface SpeakingVoice {
  selection: VoiceSelection;
  /** BCP 47 tag. */
  language: string | null;
}

/** Generates voice previews. Bounded in number per process and per account, in time and in length. */
export class VoicePreviews {
  readonly #textToSpeech: TextToSpeech;
  readonly #clock: Clock;
  readonly #slots = new Slots(MAX_AT_ONCE, MAX_WAITING);
  readonly #ofAccounts = new Map<string, number>();

  constructor(deps: { textToSpeech: TextToSpeech; clock: Clock }) {
    this.#textToSpeech = deps.textToSpeech;
    this.#clock = deps.clock;
  }

  /** Returns a WAV file. Errors of the voice are thrown as the HttpProblem `voice_error`. */
  async speak(accountId: string, voice: SpeakingVoice): Promise<Uint8Array> {
    const busy = this.#ofAccounts.get(accountId) ?? 0;
    if (busy >= MAX_OF_ACCOUNT) {
      const detail = `The account may generate at most ${MAX_OF_ACCOUNT} previews at the same time.`;
      throw limited('concurrency', detail, RETRY_AFTER_MS);
    }
    this.#ofAccounts.set(accountId, busy + 1);
    try {
      const release = await this.#within((signal) => this.#slots.acquire(signal)).catch(refuseBusy);
      try {
        return await this.#within((signal) => speak(this.#textToSpeech, voice, signal));
      } finally {
        release();
      }
    } finally {
      this.#leave(accountId);
    }
  }

  async #within<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const tooLate = new AbortController();
    const timer = this.#clock.setTimer(LIMIT_MS, () => {
      tooLate.abort(new TimeoutError('the preview of a voice', LIMIT_MS));
    });
    try {
      return await run(tooLate.signal);
    } finally {
      timer.cancel();
    }
  }

  #leave(accountId: string): void {
    const left = (this.#ofAccounts.get(accountId) ?? 1) - 1;
    if (left === 0) this.#ofAccounts.delete(accountId);
    else this.#ofAccounts.set(accountId, left);
  }
}

function refuseBusy(thrown: unknown): never {
  if (thrown instanceof QueueFullError || thrown instanceof TimeoutError) throw unavailable();
  throw thrown;
}

async function speak(
  textToSpeech: TextToSpeech,
  { selection, language }: SpeakingVoice,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const options = { voice: selection, languageHint: language };
  const pieces: Int16Array[] = [];
  let rateHz = 0;
  let samples = 0;
  try {
    for await (const chunk of textToSpeech.synthesize(only(previewSentence(language)), options, signal)) {
      if (chunk.type !== 'audio') continue;
      rateHz = chunk.sampleRateHz;
      samples += chunk.samples.length;
      if (samples > MAX_AUDIO_S * rateHz) throw voiceError(`the audio is longer than ${MAX_AUDIO_S} s`);
      pieces.push(chunk.samples);
    }
  } catch (thrown) {
    if (thrown instanceof ProviderError) throw voiceError(thrown.message);
    if (thrown instanceof TimeoutError)
      throw voiceError(`the voice did not finish within ${LIMIT_MS / 1000} s`);
    throw thrown;
  }
  if (samples === 0) throw voiceError('the voice returned no audio');
  return encodeWav(joined(pieces, samples), rateHz);
}

function voiceError(message: string): HttpProblem {
  return new HttpProblem(400, 'voice_error', message);
}

// oxlint-disable-next-line typescript/require-await -- sentences come as a stream
async function* only(sentence: string): AsyncGenerator<string> {
  yield sentence;
}

function joined(pieces: readonly Int16Array[], length: number): Int16Array {
  const all = new Int16Array(length);
  let offset = 0;
  for (const piece of pieces) {
    all.set(piece, offset);
    offset += piece.length;
  }
  return all;
}
