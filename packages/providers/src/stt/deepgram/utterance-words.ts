/** What was recognised in a part of the audio. */
export interface ListenResult {
  startSamples: number;
  endSamples: number;
  /** Empty where there were no words. */
  text: string;
  /** Otherwise what comes for the same audio takes its place. */
  isFinal: boolean;
  isFromFinalize: boolean;
}

/** The words of one utterance so far. */
export interface UtteranceWords {
  final: string;
  /** Of the audio that is not final yet. */
  interim: string;
  /** Audio whose words are final. */
  coveredSamples: number;
}

export const NO_WORDS: UtteranceWords = { final: '', interim: '', coveredSamples: 0 };

/** `result` counts from the utterance's first sample. Audio that is final already stays as it is. */
export function withResult(words: UtteranceWords, result: ListenResult): UtteranceWords {
  if (result.endSamples <= words.coveredSamples) return words;
  if (!result.isFinal) return { ...words, interim: result.text };
  return { final: joined(words.final, result.text), interim: '', coveredSamples: result.endSamples };
}

export function textOf({ final, interim }: UtteranceWords): string {
  return joined(final, interim);
}

function joined(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first} ${second}`;
}
