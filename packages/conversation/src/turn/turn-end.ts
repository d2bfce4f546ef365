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
        user: { ...user, end: { status: 'asked', revision } },
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

/** Applies the detector's result unless more speech has followed. */
export function applyAssessment(
  user: UserTurn,
  event: TurnEvent & { type: 'end_assessed' },
): UserTurn | null {
  const { end } = user;
  if (event.utterance !== user.utterance) return null;
  if (end.status !== 'asked' || end.revision !== event.revision) return null;
  return { ...user, end: { status: 'judged', extraWaitMs: event.extraWaitMs } };
}

/** Ends the hold, because the user did not continue. */
export function endHold(user: UserTurn): AssessedEnd | null {
  if (user.end.status !== 'held') return null;
  return {
    user: { ...user, end: { status: 'over' } },
    effects: [{ type: 'start_timer', timer: 'reply_overdue', delayMs: FILLER_DELAY_MS }],
  };
}
