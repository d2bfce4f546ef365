import { TAIL_MS, type SpokenPart } from '../corpus/turn-case.ts';
import type { PauseKind } from '../corpus/turn.ts';
import type { Decision } from '../play/play-turn.ts';

const FAINT_END_MS = 200;

/** The results at the decision points of a case. */
export interface Outcome {
  /** The labelled pauses, in order. `isAudible`: the agent would have spoken before the user did. */
  pauses: readonly { kind: PauseKind; durationMs: number; isCut: boolean; isAudible: boolean }[];
  /** Time from the true end of the turn to the decision; TAIL_MS if there was none. */
  latencyMs: number;
  isMissed: boolean;
  /** Decisions before the first pause. */
  cutsInSpeech: number;
}

/** Assigns decisions to the pauses in which, or after which, the user was still speaking. */
export function outcomeOf(parts: readonly SpokenPart[], decisions: readonly Decision[]): Outcome {
  const endMs = parts.at(-1)?.endMs ?? 0;
  const paused = parts.filter(({ pause }) => pause);
  const firstPauseMs = paused[0]?.endMs ?? endMs;
  const last = decisions.find(({ atMs }) => atMs >= endMs);
  // A decision shortly before the end counts as correct if none follows, because the last sounds are faint.
  const early =
    last === undefined ? decisions.findLast(({ atMs }) => atMs >= endMs - FAINT_END_MS) : undefined;
  const cuts = decisions.filter((each) => each.atMs < endMs && each !== early);
  const pauses = paused.flatMap(({ pause, endMs: fromMs }, i) => {
    const untilMs = paused[i + 1]?.endMs ?? endMs;
    if (!pause) return [];
    const cut = cuts.find(({ atMs }) => atMs >= fromMs && atMs < untilMs);
    const isAudible = cut !== undefined && cut.audibleMs < fromMs + pause.durationMs;
    return [{ ...pause, isCut: cut !== undefined, isAudible }];
  });
  const decided = last ?? early;
  return {
    pauses,
    latencyMs: decided === undefined ? TAIL_MS : decided.atMs - endMs,
    isMissed: decided === undefined,
    cutsInSpeech: cuts.filter(({ atMs }) => atMs < firstPauseMs).length,
  };
}
