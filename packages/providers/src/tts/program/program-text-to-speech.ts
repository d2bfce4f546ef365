import { samplesFromMs } from '@calls/audio/pcm';
import type { SpeechChunk, SynthesisOptions, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { abortable, type Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { ProcessHost } from '../../process-host/process-host.ts';
import { Slots } from '../../slots.ts';
import {
  speakSentence,
  type ProgramLimits,
  type ProgramRun,
  type SpeechProgram,
} from './program-sentence.ts';

const DEFAULT_PROGRAM_LIMITS: ProgramLimits = {
  firstAudioTimeoutMs: 2500,
  gapTimeoutMs: 2500,
  maxSentenceMs: 120_000,
  maxWaiting: 200,
};

export interface ProgramOptions {
  /** Name or path of the program; by default the name of its Debian package. */
  binary?: string;
  /** Maximum number of concurrent processes over all calls; default 4. */
  maxProcesses?: number;
  limits?: Partial<ProgramLimits>;
  clock: Clock;
  log: Logger;
}

export interface ProgramKind extends Pick<SpeechProgram, 'provider' | 'output' | 'filter' | 'errorOf'> {
  defaultBinary: string;
  /** The runs that speak a sentence; none: nothing in it can be spoken. Throws a ProviderError for invalid settings. */
  speaker: (options: SynthesisOptions) => (text: string) => readonly ProgramRun[];
}

/** Silence between two sentences. */
const SENTENCE_PAUSE_MS = 200;

/** An engine with short-lived processes for each sentence, started by a host process. */
export function createProgramTextToSpeech(
  { defaultBinary, speaker, ...kind }: ProgramKind,
  { binary = defaultBinary, maxProcesses = 4, clock, log, ...options }: ProgramOptions,
): TextToSpeech & AsyncDisposable {
  const limits = { ...DEFAULT_PROGRAM_LIMITS, ...options.limits };
  const host = new ProcessHost({ clock, log });
  const slots = new Slots(maxProcesses, limits.maxWaiting);
  const program: SpeechProgram = { ...kind, binary, host, clock, limits, slots };
  return {
    async *synthesize(sentences, synthesis, signal) {
      signal.throwIfAborted();
      const runsOf = speaker(synthesis);
      const source = sentences[Symbol.asyncIterator]();
      let sampleRateHz: number | undefined;
      try {
        for (;;) {
          const taken = await abortable(source.next(), signal);
          if (taken.done === true) return;
          for await (const chunk of speakSentence(program, runsOf(taken.value), taken.value, signal)) {
            if (chunk.type === 'audio') sampleRateHz = chunk.sampleRateHz;
            else if (sampleRateHz !== undefined) yield silence(sampleRateHz);
            yield chunk;
          }
        }
      } finally {
        // Not awaited: a busy source must not delay the end of the speech.
        source.return?.().catch(() => undefined);
      }
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

function silence(sampleRateHz: number): SpeechChunk {
  return {
    type: 'audio',
    samples: new Int16Array(samplesFromMs(SENTENCE_PAUSE_MS, sampleRateHz)),
    sampleRateHz,
  };
}
