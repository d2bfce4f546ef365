import { FILLER_DELAY_MS } from './transitions.ts';
import type { TurnEffect, TurnEvent, UserTurn } from './turn-types.ts';

interface AssessedEnd {
  user: UserTurn;
  effects: readonly TurnEffect[];
}

/**
 * Call once the transcript is known. Runs end-of-turn detection, then holds the turn open for the time it
 * returns.
 */
export function assessTurnEnd(user: UserTurn, text: string): AssessedEnd {
  const { end, utterance, revision } = user;
  switch (end.status) {
    case 'unknown':
      return {
        user: { ...user, end: { status: 'asked' } },
        effects: [{ type: 'assess_end', utterance, revision, text }],
      };
    case 'judged':
      if (!user.ended) return { user, effects: [] };
      if (end.extraWaitMs <= 0) return { user: { ...user, end: { status: 'over' } }, effects: [] };
      return {
        user: { ...user, end: { status: 'held' } },
        effects: [
          { type: 'cancel_timer', timer: 'reply_overdue' },
          { type: 'start_timer', timer: 'hold', delayMs: end.extraWaitMs },
        ],
      };
    case 'asked':
    case 'held':
    case 'over':
      return { user, effects: [] };
  }
}

export function isOver({ end }: UserTurn): boolean {
  return end.status === 'over';
}

/** Applies the detector's result, which may replace an earlier one, unless more speech has followed. */
export function applyAssessment(
  user: UserTurn,
  event: TurnEvent & { type: 'end_assessed' },
): AssessedEnd | null {
  const { end } = user;
  const { utterance, revision, extraWaitMs } = event;
  if (utterance !== user.utterance || revision !== user.revision) return null;
  switch (end.status) {
    case 'asked':
    case 'judged':
      return { user: { ...user, end: { status: 'judged', extraWaitMs } }, effects: [] };
    case 'held':
      return { user, effects: [{ type: 'start_timer', timer: 'hold', delayMs: extraWaitMs }] };
    case 'unknown':
    case 'over':
      return null;
  }
}

/** Ends the hold, because the user did not continue. */
export function endHold(user: UserTurn): AssessedEnd | null {
  if (user.end.status !== 'held') return null;
  return {
    user: { ...user, end: { status: 'over' } },
    effects: [{ type: 'start_timer', timer: 'reply_overdue', delayMs: FILLER_DELAY_MS }],
  };
}
