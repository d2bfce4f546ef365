import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import type { Backgrounds } from './corpus/channels.ts';
import { audioOf, type TurnCase } from './corpus/turn-case.ts';
import type { ScoredTurn } from './play/play-turn.ts';
import { windowScores } from './play/window-scores.ts';

/** A case with what the detectors get of it. */
export interface ScoredCase extends ScoredTurn {
  case: TurnCase;
}

/** Cases scored at a time, so that the VAD gets large batches. */
const AT_ONCE = 48;

export async function scoreCases(
  engine: VoiceActivityEngine,
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
      scored[i] = { case: turnCase, language: turnCase.turn.speaker.language, parts, probabilities };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return scored;
}
