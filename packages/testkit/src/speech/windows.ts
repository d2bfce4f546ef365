import {
  VAD_WINDOW_SAMPLES,
  type VoiceActivityDetector,
} from '@calls/conversation/ports/voice-activity-detector';

/** The detector windows of a recording at 16 kHz; a part at the end is left out. */
export function windowsOfSamples(samples: Int16Array): Int16Array[] {
  return Array.from({ length: Math.floor(samples.length / VAD_WINDOW_SAMPLES) }, (_, i) =>
    samples.subarray(i * VAD_WINDOW_SAMPLES, (i + 1) * VAD_WINDOW_SAMPLES),
  );
}

/** The probabilities of all windows, each asked for when the one before is answered. */
export async function judgeInTurn(
  detector: VoiceActivityDetector,
  windows: readonly Int16Array[],
): Promise<number[]> {
  const probabilities: number[] = [];
  for (const window of windows) probabilities.push(await detector.push(window));
  return probabilities;
}
