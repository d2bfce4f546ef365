import type { VoiceSelection } from '@calls/api-contract/call-spec';

/** When a word is heard, in milliseconds from the start of the sentence it belongs to. */
export interface WordTiming {
  word: string;
  startMs: number;
  endMs: number;
}

export type SpeechChunk =
  /** The audio that follows speaks this sentence (until the next `sentence` chunk). */
  | { type: 'sentence'; text: string }
  /** Mono signed 16-bit PCM; any length; the rate is the same through one synthesis. */
  | { type: 'audio'; samples: Int16Array; sampleRateHz: number }
  /** From engines that time their words; complete for the current sentence or absent. */
  | { type: 'words'; words: readonly WordTiming[] };

export interface SynthesisOptions {
  voice: VoiceSelection;
  /** BCP 47 tag, or null for the voice's own language. */
  languageHint: string | null;
  /**
   * Headers that sign one request to an address of the customer's, made anew for each; absent where the call has no shared
   * secrets. Engines that call no such address leave it alone.
   */
  signatureHeaders?: () => Readonly<Record<string, string>>;
}

export interface TextToSpeech {
  /**
   * Speaks `sentences` in order, each as it arrives. Pulling drives the work: an adapter reads at most one sentence ahead
   * of what was pulled. Throws a ProviderError on refusal, on a cut stream, and on silence longer than its limits; throws
   * the signal's reason when `signal` aborts.
   */
  synthesize(
    sentences: AsyncIterable<string>,
    options: SynthesisOptions,
    signal: AbortSignal,
  ): AsyncIterable<SpeechChunk>;
}
