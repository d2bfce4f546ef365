import { combinedWaitMs } from '@calls/conversation/end-of-turn/sound-and-words';
import { unfinishedWaitMs } from '@calls/conversation/end-of-turn/heuristic-detector';
import type { EndpointSettings } from './play/play-turn.ts';

/** A way to decide the end of a turn, with `turnEndpointDelay` as the setting that trades latency for false cut-offs. */
export interface Detector {
  name: string;
  /** Whether silence counts from the end of the sound, or from the VAD's last window of speech. */
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

/** Words and an end-of-turn model. */
export const MODEL_DETECTOR: Detector = {
  name: 'words, model',
  datesEnd: true,
  settings: (turnEndpointDelayMs) => ({
    turnEndpointDelayMs,
    extraWaitMs: ({ text, languageHint, completion }) =>
      combinedWaitMs(unfinishedWaitMs(text, languageHint), completion, turnEndpointDelayMs),
  }),
};

/** The last one is what calls without an end-of-turn model use. */
export const DETECTORS: readonly Detector[] = [
  { name: 'silence, VAD', datesEnd: false, settings: silenceOnly },
  { name: 'silence', datesEnd: true, settings: silenceOnly },
  { name: 'words, VAD', datesEnd: false, settings: heuristic },
  { name: 'words', datesEnd: true, settings: heuristic },
];
