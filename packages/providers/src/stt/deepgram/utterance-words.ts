import type { Transcript } from '@calls/engine-ports/speech-to-text';

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
  /** See Transcript. */
  completion?: number;
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
  /** See Transcript; of the last result with words. */
  completion?: number;
}

export const NO_WORDS: UtteranceWords = { final: '', interim: '', finalSamples: 0, coveredSamples: 0 };

/** Positions of `result` count from the utterance's first sample. Final text does not change. */
export function withResult(words: UtteranceWords, result: ListenResult): UtteranceWords {
  if (result.endSamples <= words.finalSamples) return words;
  const coveredSamples = result.endSamples;
  const judged =
    result.text === '' || result.completion === undefined ? {} : { completion: result.completion };
  if (!result.isFinal) return { ...words, ...judged, interim: result.text, coveredSamples };
  return {
    ...words,
    ...judged,
    final: joined(words.final, result.text),
    interim: '',
    finalSamples: coveredSamples,
    coveredSamples,
  };
}

export function transcriptOf({ final, interim, completion }: UtteranceWords): Transcript {
  return { text: joined(final, interim), ...(completion !== undefined && { completion }) };
}

function joined(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first} ${second}`;
}
