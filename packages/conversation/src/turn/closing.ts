import {
  closeUtterance,
  discardSpeculation,
  dismissUtterance,
  flushPending,
  stay,
  transcriptOf,
} from './transitions.ts';
import type {
  CallEnd,
  TurnEffect,
  TurnEvent,
  TurnMemory,
  TurnState,
  TurnStep,
  UserTurn,
} from './turn-types.ts';
import { applyInterim, applyTranscript, requestTranscript } from './user-turn.ts';

type Closed = TurnState & { kind: 'closed' };

/**
 * Ends the conversation: what waits for an answer goes to the history without one. Speech whose words are still to come stays
 * open until they are known. `end`: the call ends by this; null where that is known already.
 */
export function close(
  memory: TurnMemory,
  user: UserTurn | null,
  before: readonly TurnEffect[],
  end: CallEnd | null,
): TurnStep {
  const flushed = flushPending(memory);
  const last = user ? lastWords(user) : { user: null, effects: [] };
  const ends: TurnEffect[] = end ? [{ type: 'end_call', ...end }] : [];
  return {
    state: { kind: 'closed', memory: flushed.memory, user: last.user },
    effects: [...before, ...flushed.effects, ...last.effects, ...ends],
  };
}

/** What the user wrote or said before the end may arrive after it. */
export function stepClosed(state: Closed, event: TurnEvent): TurnStep {
  const { memory, user } = state;
  switch (event.type) {
    case 'text_received': {
      const { text } = event;
      return {
        state,
        effects: [{ type: 'add_user_message', text, medium: 'text', utterances: [] }],
      };
    }
    case 'words_heard': {
      const heard = user && applyInterim(user, event);
      return stay(heard ? { ...state, user: heard } : state);
    }
    case 'transcribed':
    case 'transcription_failed': {
      const heard = user && applyTranscript(memory, user, event);
      return heard ? { state: { ...state, user: null }, effects: settleLast(heard) } : stay(state);
    }
    default:
      return stay(state);
  }
}

function lastWords(user: UserTurn): { user: UserTurn | null; effects: readonly TurnEffect[] } {
  const { status } = user.recognition;
  if (status === 'known' || status === 'failed' || !user.isTurn)
    return { user: null, effects: settleLast(user) };
  const silent: UserTurn = { ...user, speaking: false, ended: true, speculative: null };
  const effects = discardSpeculation(user);
  if (status === 'pending') return { user: silent, effects };
  const asked = requestTranscript(silent);
  return { user: asked.user, effects: [...effects, ...asked.effects] };
}

function settleLast(user: UserTurn): TurnEffect[] {
  const { recognition, isTurn, utterance } = user;
  const text = transcriptOf(user);
  if (!isTurn) return dismissUtterance(user, 'too_short');
  if (recognition.status === 'known' && recognition.meaning !== 'words')
    return dismissUtterance(user, recognition.meaning);
  if (text === '') return dismissUtterance(user, 'unrecognised');
  return [
    ...closeUtterance(user),
    { type: 'add_user_message', text, medium: 'voice', utterances: [utterance] },
  ];
}
