import { SpeechSegmenter } from '@calls/conversation/vad/speech-segmenter';
import type { WindowLevels } from '@calls/conversation/vad/window-levels';
import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import { VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';
import { stageSpec } from '@calls/testkit/call-spec';

/** Values of live calls: audio before the first speech, and silence before the model is queried. */
const PRE_ROLL_SAMPLES = 4800;
const PAUSE_WINDOWS = 4;
/** Pause that is longer than any pause of a case. */
const ENDLESS_MS = 60_000;

/** The model's output for the pause of each window; NaN during speech and short stops. */
export async function completionsOf(
  model: TurnCompletionModel,
  samples: Int16Array,
  probabilities: Float32Array,
  levels: readonly WindowLevels[],
): Promise<Float32Array> {
  const completions = new Float32Array(probabilities.length).fill(NaN);
  const segmenter = new SpeechSegmenter({ ...stageSpec().vad, turnEndpointDelayMs: ENDLESS_MS });
  const { signal } = new AbortController();
  let startSample = 0;
  let completion = NaN;
  for (const [window, probability] of probabilities.entries()) {
    const edges = segmenter.step(probability, levels[window] ?? null);
    const endSample = (window + 1) * VAD_WINDOW_SAMPLES;
    if (edges.includes('speech_started'))
      startSample = Math.max(0, endSample - VAD_WINDOW_SAMPLES - PRE_ROLL_SAMPLES);
    if (segmenter.silentWindows === 0) completion = NaN;
    if (segmenter.silentWindows >= PAUSE_WINDOWS && Number.isNaN(completion))
      completion = await model.completion(samples.subarray(startSample, endSample), signal);
    completions[window] = completion;
  }
  return completions;
}
