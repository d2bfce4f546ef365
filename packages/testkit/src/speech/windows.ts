import {
  VAD_WINDOW_SAMPLES,
  type VoiceActivityDetector,
} from '@calls/conversation/ports/voice-activity-detector';

/** Splits a recording at 16 kHz into detector windows; drops an incomplete one. */
export function windowsOfSamples(samples: Int16Array): Int16Array[] {
  return Array.from({ length: Math.floor(samples.length / VAD_WINDOW_SAMPLES) }, (_, i) =>
    samples.subarray(i * VAD_WINDOW_SAMPLES, (i + 1) * VAD_WINDOW_SAMPLES),
  );
}

/** Returns the probabilities of all windows, requested one after the other. */
export async function judgeInTurn(
  detector: VoiceActivityDetector,
  windows: readonly Int16Array[],
): Promise<number[]> {
  const probabilities: number[] = [];
  for (const window of windows) probabilities.push(await detector.push(window));
  return probabilities;
}
