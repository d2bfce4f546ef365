import { unfinishedWaitMs } from '@calls/conversation/end-of-turn/heuristic-detector';
import type { EndpointSettings } from './play/play-turn.ts';

/** A way to decide the end of a turn, with `turnEndpointDelay` as the setting that trades latency for false cut-offs. */
export interface Detector {
  name: string;
  settings: (turnEndpointDelayMs: number) => EndpointSettings;
}

export const DETECTORS: readonly Detector[] = [
  {
    name: 'silence only',
    settings: (turnEndpointDelayMs) => ({ turnEndpointDelayMs, extraWaitMs: () => 0 }),
  },
  {
    name: 'heuristic',
    settings: (turnEndpointDelayMs) => ({
      turnEndpointDelayMs,
      extraWaitMs: ({ text, languageHint }) => unfinishedWaitMs(text, languageHint),
    }),
  },
];
