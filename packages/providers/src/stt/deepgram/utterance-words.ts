/** The result for a part of the audio. */
export interface ListenResult {
  /** End of that part. */
  endSamples: number;
  /** Empty if there was no speech. */
  text: string;
  /** Otherwise a later result for the same audio replaces it. */
  isFinal: boolean;
  /** Without further audio, no better result follows. */
  isSettled: boolean;
  isFromFinalize: boolean;
}

/** The transcript of one utterance so far. */
export interface UtteranceWords {
  final: string;
  /** Text of the audio that is not final yet. */
  interim: string;
  /** End of the audio with final results. */
  finalSamples: number;
  /** End of the audio with results. */
  coveredSamples: number;
}

export const NO_WORDS: UtteranceWords = { final: '', interim: '', finalSamples: 0, coveredSamples: 0 };

/** Positions of `result` count from the utterance's first sample. Final text does not change. */
export function withResult(words: UtteranceWords, result: ListenResult): UtteranceWords {
  if (result.endSamples <= words.finalSamples) return words;
  const coveredSamples = result.endSamples;
  if (!result.isFinal) return { ...words, interim: result.text, coveredSamples };
  return {
    final: joined(words.final, result.text),
    interim: '',
    finalSamples: coveredSamples,
    coveredSamples,
  };
}

export function textOf({ final, interim }: UtteranceWords): string {
  return joined(final, interim);
}

function joined(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first} ${second}`;
}
