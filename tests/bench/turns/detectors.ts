import { combinedWaitMs } from '@calls/conversation/end-of-turn/detector';
import { unfinishedWaitMs } from '@calls/conversation/end-of-turn/unfinished-words';
import type { EndpointSettings } from './play/play-turn.ts';

/** A method of end-of-turn detection. Its setting `turnEndpointDelay` trades latency for fewer false cut-offs. */
export interface Detector {
  name: string;
  /** Whether silence starts at the end of the sound, or after the VAD's last window of speech. */
  datesEnd: boolean;
  settings: (turnEndpointDelayMs: number) => EndpointSettings;
}

const silenceOnly: Detector['settings'] = (turnEndpointDelayMs) => ({
  turnEndpointDelayMs,
  extraWaitMs: () => 0,
});
const heuristic: Detector['settings'] = (turnEndpointDelayMs) => ({
  turnEndpointDelayMs,
  extraWaitMs: ({ text, languageHint }) => unfinishedWaitMs(text, languageHint),
});

/** Uses the transcript and an end-of-turn model. */
export const MODEL_DETECTOR: Detector = {
  name: 'words, model',
  datesEnd: true,
  settings: (turnEndpointDelayMs) => ({
    turnEndpointDelayMs,
    extraWaitMs: ({ text, languageHint, completion }) =>
      combinedWaitMs(unfinishedWaitMs(text, languageHint), completion, turnEndpointDelayMs),
  }),
};

/** Calls without an end-of-turn model use the last one. */
export const DETECTORS: readonly Detector[] = [
  { name: 'silence, VAD', datesEnd: false, settings: silenceOnly },
  { name: 'silence', datesEnd: true, settings: silenceOnly },
  { name: 'words, VAD', datesEnd: false, settings: heuristic },
  { name: 'words', datesEnd: true, settings: heuristic },
];
