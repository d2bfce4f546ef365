import type { SpeechEdge } from '../../vad/speech-segmenter.ts';

/** Every edge, whether or not the detector could give it at that moment: the reducer must stand any order. */
export const VAD_EDGES: readonly SpeechEdge[] = [
  'speech_started',
  'turn_reached',
  'interruption_reached',
  'speech_paused',
  'speech_resumed',
  'endpoint_reached',
];
