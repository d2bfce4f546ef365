import { FILLER_DELAY_MS } from './transitions.ts';
import type { TurnEffect, TurnEvent, UserTurn } from './turn-types.ts';

interface JudgedEnd {
  user: UserTurn;
  effects: readonly TurnEffect[];
}

/** To be called once the words are known: asks the detector, then holds the turn open for as long as it says. */
export function assessTurnEnd(user: UserTurn, text: string): JudgedEnd {
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

/** Takes the detector's answer, unless more speech has followed what it is about. */
export function applyAssessment(
  user: UserTurn,
  event: TurnEvent & { type: 'end_assessed' },
): UserTurn | null {
  const { end } = user;
  if (event.utterance !== user.utterance) return null;
  if (end.status !== 'asked' || end.revision !== event.revision) return null;
  return { ...user, end: { status: 'judged', extraWaitMs: event.extraWaitMs } };
}

/** The user has not gone on. */
export function endHold(user: UserTurn): JudgedEnd | null {
  if (user.end.status !== 'held') return null;
  return {
    user: { ...user, end: { status: 'over' } },
    effects: [{ type: 'start_timer', timer: 'reply_overdue', delayMs: FILLER_DELAY_MS }],
  };
}
