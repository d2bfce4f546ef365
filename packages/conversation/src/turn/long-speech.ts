import { prepend } from './transitions.ts';
import type { TurnEffect, TurnMemory, TurnState, TurnStep, UserTurn, UtteranceId } from './turn-types.ts';
import { fillerTimer, requestTranscript, settleUser } from './user-turn.ts';

/** Time to the first check, and between the first two. */
const LONG_SPEECH_MS = 4000;
/** Each check transcribes the whole utterance, so the time between them grows. */
const GROWTH = 1.5;
const MAX_INTERVAL_MS = 8000;

type UserHoldsFloor = TurnState & { kind: 'userSpeaking' | 'endpointing' };

/**
 * Runs after every step. Noise that the VAD takes for speech would keep the user's turn open, so the transcript of an open
 * turn is checked from time to time: without new words since the last check, the user has finished.
 */
export function watchLongSpeech(before: TurnState, step: TurnStep): TurnStep {
  if (step.state.kind === 'closed') return step;
  const was = openUtteranceOf(before);
  const is = openUtteranceOf(step.state);
  if (was === is) return step;
  const timer: TurnEffect =
    is === null ? { type: 'cancel_timer', timer: 'long_speech' } : startTimer(LONG_SPEECH_MS);
  return { state: step.state, effects: [...step.effects, timer] };
}

/** The timer has fired. In a pause, the transcript is known or requested already. */
export function checkLongSpeech({ memory, user: before }: UserHoldsFloor): TurnStep {
  const { user, effects } = before.speaking ? requestTranscript(before) : { user: before, effects: [] };
  const number = user.check.number + 1;
  const revision = user.isTurn ? user.revision : null;
  const delayMs = Math.min(MAX_INTERVAL_MS, LONG_SPEECH_MS * GROWTH ** (number - 1));
  return prepend(
    [...effects, startTimer(delayMs)],
    settleChecked(memory, { ...user, check: { ...user.check, number, revision } }),
  );
}

/** Applies a transcript to the check that waits for it, if any, and settles the turn. */
export function settleChecked(memory: TurnMemory, user: UserTurn): TurnStep {
  const { check, recognition, utterance } = user;
  if (!isOpen(user) || recognition.status !== 'known') return settleUser(memory, user);
  if (check.revision === null || recognition.revision < check.revision) return settleUser(memory, user);
  const letters = recognition.text.replaceAll(/[^\p{L}\p{N}]/gu, '').length;
  const checked: UserTurn = { ...user, check: { ...check, revision: null, letters } };
  if (check.letters === null || letters > check.letters) return settleUser(memory, checked);
  const over: UserTurn = { ...checked, speaking: false, ended: true, end: { status: 'over' } };
  return prepend(
    [{ type: 'end_utterance', utterance }, ...fillerTimer(over, 'endpoint_reached')],
    settleUser({ ...memory, isNoisy: true }, over),
  );
}

function openUtteranceOf(state: TurnState): UtteranceId | null {
  if (state.kind !== 'userSpeaking' && state.kind !== 'endpointing') return null;
  return isOpen(state.user) ? state.user.utterance : null;
}

function isOpen({ speaking, ended }: UserTurn): boolean {
  return speaking || !ended;
}

function startTimer(delayMs: number): TurnEffect {
  return { type: 'start_timer', timer: 'long_speech', delayMs };
}
