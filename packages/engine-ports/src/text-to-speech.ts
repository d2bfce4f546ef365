/** An engine, by its key in the registry, and the settings of a voice in the engine's own terms, which its adapter validates. */
export interface VoiceSelection {
  engine: string;
  settings: Record<string, unknown>;
}

/** When a word is played, in milliseconds from the start of its sentence. */
export interface WordTiming {
  word: string;
  startMs: number;
  endMs: number;
}

export type SpeechChunk =
  /** The audio chunks up to the next `sentence` chunk speak this sentence. */
  | { type: 'sentence'; text: string }
  /** Mono signed 16-bit PCM of any length. The rate is constant within one synthesis. */
  | { type: 'audio'; samples: Int16Array; sampleRateHz: number }
  /** Word timings of the current sentence, complete or absent. */
  | { type: 'words'; words: readonly WordTiming[] };

export interface SynthesisOptions {
  voice: VoiceSelection;
  /** BCP 47 tag; null uses the voice's own language. */
  languageHint: string | null;
  /**
   * Creates the headers that sign one request to a customer's address. Absent if the call has no shared
   * secrets; ignored by providers that do not call such addresses.
   */
  signatureHeaders?: () => Readonly<Record<string, string>>;
}

export interface TextToSpeech {
  /**
   * Speaks `sentences` in order as they arrive. The consumer drives the work: an adapter reads at most one
   * sentence ahead. Throws a ProviderError if the request is refused, the stream ends early, or no data arrives
   * within its timeout; throws the signal's reason when `signal` aborts.
   */
  synthesize(
    sentences: AsyncIterable<string>,
    options: SynthesisOptions,
    signal: AbortSignal,
  ): AsyncIterable<SpeechChunk>;
}
