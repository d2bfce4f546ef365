import { TAIL_MS, type SpokenPart } from '../corpus/turn-case.ts';
import type { PauseKind } from '../corpus/turn.ts';

const FAINT_END_MS = 200;

/** The results at the decision points of a case. */
export interface Outcome {
  /** The labelled pauses, in order. */
  pauses: readonly { kind: PauseKind; durationMs: number; isCut: boolean }[];
  /** From the true end of the turn to the decision; TAIL_MS if there was none. */
  latencyMs: number;
  isMissed: boolean;
  /** Decisions before the first pause. */
  cutsInSpeech: number;
}

/** Assigns decisions to the pauses in which, or after which, the user was still speaking. */
export function outcomeOf(parts: readonly SpokenPart[], decidedMs: readonly number[]): Outcome {
  const endMs = parts.at(-1)?.endMs ?? 0;
  const paused = parts.filter(({ pause }) => pause);
  const firstPauseMs = paused[0]?.endMs ?? endMs;
  const last = decidedMs.find((ms) => ms >= endMs);
  // Without a later decision, one shortly before was meant for the end: its last sounds are faint.
  const early = last === undefined ? decidedMs.findLast((ms) => ms >= endMs - FAINT_END_MS) : undefined;
  const cuts = decidedMs.filter((ms) => ms < endMs && ms !== early);
  const pauses = paused.flatMap(({ pause, endMs: fromMs }, i) => {
    const untilMs = paused[i + 1]?.endMs ?? endMs;
    return pause ? [{ ...pause, isCut: cuts.some((ms) => ms >= fromMs && ms < untilMs) }] : [];
  });
  const decided = last ?? early;
  return {
    pauses,
    latencyMs: decided === undefined ? TAIL_MS : decided - endMs,
    isMissed: decided === undefined,
    cutsInSpeech: cuts.filter((ms) => ms < firstPauseMs).length,
  };
}
