import { windowLevels, type WindowLevels } from '@calls/conversation/vad/window-levels';
import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import { VAD_WINDOW_SAMPLES, type VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import type { Backgrounds } from './corpus/channels.ts';
import { audioOf, type TurnCase } from './corpus/turn-case.ts';
import { completionsOf } from './play/completions.ts';
import type { ScoredTurn } from './play/play-turn.ts';
import { windowScores } from './play/window-scores.ts';

/** A case with the input of the detectors. */
export interface ScoredCase extends ScoredTurn {
  case: TurnCase;
}

/** Number of concurrent cases, for large batches; within the queue limit of the end-of-turn model. */
const AT_ONCE = 32;

export async function scoreCases(
  engine: VoiceActivityEngine,
  model: TurnCompletionModel | null,
  cases: readonly TurnCase[],
  backgrounds: Backgrounds,
  seed: number,
): Promise<ScoredCase[]> {
  const scored = new Array<ScoredCase>(cases.length);
  const waiting = [...cases.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [i, turnCase] = next;
      const { samples, parts } = await audioOf(turnCase, backgrounds, seed);
      const probabilities = await windowScores(engine, samples);
      const levels = levelsOf(samples);
      const completions = model && (await completionsOf(model, samples, probabilities, levels));
      const { language } = turnCase.turn.speaker;
      scored[i] = { case: turnCase, language, parts, probabilities, levels, completions };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return scored;
}

/** Levels of each complete window. */
export function levelsOf(samples: Int16Array): WindowLevels[] {
  return Array.from({ length: Math.floor(samples.length / VAD_WINDOW_SAMPLES) }, (_, window) => {
    const start = window * VAD_WINDOW_SAMPLES;
    return windowLevels(samples.subarray(start, start + VAD_WINDOW_SAMPLES));
  });
}
