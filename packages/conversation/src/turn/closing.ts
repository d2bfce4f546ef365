import { flushPending } from './pending-messages.ts';
import { closeUtterance, discardSpeculation, dismissUtterance, stay, transcriptOf } from './transitions.ts';
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
 * Ends the conversation. Pending messages are added to the history without a response. An utterance without a
 * final transcript stays open until that arrives. `end`: how the call ends; null if the session that closes the call
 * already knows.
 */
export function close(
  memory: TurnMemory,
  user: UserTurn | null,
  before: readonly TurnEffect[],
  end: CallEnd | null,
): TurnStep {
  const flushed = flushPending(memory);
  const last = user ? closeUserTurn(user) : { user: null, effects: [] };
  const ends: TurnEffect[] = end ? [{ type: 'end_call', ...end }] : [];
  return {
    state: { kind: 'closed', memory: flushed.memory, user: last.user },
    effects: [...before, ...flushed.effects, ...last.effects, ...ends],
  };
}

/** Text and transcripts may still arrive after the end. */
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
      const updated = user && applyInterim(user, event);
      return stay(updated ? { ...state, user: updated } : state);
    }
    case 'transcribed':
    case 'transcription_failed': {
      const updated = user && applyTranscript(memory, user, event);
      return updated ? { state: { ...state, user: null }, effects: settleUserTurn(updated) } : stay(state);
    }
    default:
      return stay(state);
  }
}

function closeUserTurn(user: UserTurn): { user: UserTurn | null; effects: readonly TurnEffect[] } {
  const { status } = user.recognition;
  if (status === 'known' || status === 'failed' || !user.isTurn)
    return { user: null, effects: settleUserTurn(user) };
  const silent: UserTurn = { ...user, speaking: false, ended: true, speculative: null };
  const effects = discardSpeculation(user);
  if (status === 'pending') return { user: silent, effects };
  const requested = requestTranscript(silent);
  return { user: requested.user, effects: [...effects, ...requested.effects] };
}

/** Converts an utterance without a response to a message, or dismisses it. */
export function settleUserTurn(user: UserTurn): TurnEffect[] {
  const { recognition, isTurn, utterance } = user;
  const text = transcriptOf(user);
  if (!isTurn) return dismissUtterance(user, 'too_short');
  if (recognition.status === 'known' && recognition.meaning !== 'words')
    return dismissUtterance(user, recognition.meaning);
  if (text === '') return dismissUtterance(user, 'not_transcribed');
  return [
    ...closeUtterance(user),
    { type: 'add_user_message', text, medium: 'voice', utterances: [utterance] },
  ];
}
