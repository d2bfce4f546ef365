import { samplesFromMs } from '@calls/audio/pcm';
import type { SpeechChunk, SynthesisOptions, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { abortable, type Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { ProcessHost } from '../../process-host/process-host.ts';
import { Slots } from '../../slots.ts';
import { speakSentence, type EspeakEngine, type EspeakLimits } from './spoken-sentence.ts';
import { voiceForLanguage, type EspeakSettings } from './voices.ts';
import { isSpeakable, parseSettings } from './wire.ts';

export const DEFAULT_ESPEAK_LIMITS: EspeakLimits = {
  firstAudioTimeoutMs: 2500,
  gapTimeoutMs: 2500,
  maxSentenceMs: 120_000,
  maxWaiting: 200,
};

export interface EspeakNgOptions {
  /** Name or path of the program; default `espeak-ng`. */
  binary?: string;
  /**
   * Maximum number of concurrent processes over all calls; default 4. One process is about 50 times faster than real
   * time.
   */
  maxProcesses?: number;
  limits?: Partial<EspeakLimits>;
  clock: Clock;
  log: Logger;
}

/** Silence between two sentences. */
const SENTENCE_PAUSE_MS = 200;

/**
 * espeak-ng, with one short-lived process per sentence, started by a host process. Skips sentences without letters and
 * digits. If espeak-ng is not installed, every synthesis throws `unavailable`.
 */
export function createEspeakNg(options: EspeakNgOptions): TextToSpeech & AsyncDisposable {
  const { binary = 'espeak-ng', maxProcesses = 4, clock, log } = options;
  const limits = { ...DEFAULT_ESPEAK_LIMITS, ...options.limits };
  const host = new ProcessHost({ clock, log });
  const engine: EspeakEngine = {
    binary,
    host,
    clock,
    limits,
    slots: new Slots(maxProcesses, limits.maxWaiting),
  };
  return {
    synthesize: (sentences, synthesis, signal) => synthesize(engine, sentences, synthesis, signal),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

async function* synthesize(
  engine: EspeakEngine,
  sentences: AsyncIterable<string>,
  { voice, languageHint }: SynthesisOptions,
  signal: AbortSignal,
): AsyncGenerator<SpeechChunk, void, undefined> {
  signal.throwIfAborted();
  const chosen = parseSettings(voice.settings);
  const settings: EspeakSettings = { ...chosen, voice: voiceForLanguage(chosen.voice, languageHint) };
  const source = sentences[Symbol.asyncIterator]();
  let sampleRateHz: number | undefined;
  try {
    for (;;) {
      const taken = await abortable(source.next(), signal);
      if (taken.done === true) return;
      if (!isSpeakable(taken.value)) continue;
      for await (const chunk of speakSentence(engine, settings, taken.value, signal)) {
        if (chunk.type === 'audio') sampleRateHz = chunk.sampleRateHz;
        else if (sampleRateHz !== undefined) yield silence(sampleRateHz);
        yield chunk;
      }
    }
  } finally {
    // Not awaited: a busy source must not delay the end of the speech.
    source.return?.().catch(() => undefined);
  }
}

function silence(sampleRateHz: number): SpeechChunk {
  return {
    type: 'audio',
    samples: new Int16Array(samplesFromMs(SENTENCE_PAUSE_MS, sampleRateHz)),
    sampleRateHz,
  };
}
