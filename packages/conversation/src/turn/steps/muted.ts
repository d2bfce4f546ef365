import { settleUserTurn } from '../closing.ts';
import { replaceMessages } from '../inactivity.ts';
import { suspendUserTurn } from '../overlap.ts';
import { addForced, addPending, addPendingResponse } from '../pending-messages.ts';
import { announce, newUserTurn, prepend, releaseFloor, stay } from '../transitions.ts';
import type {
  MuteReason,
  PendingMessage,
  TurnEvent,
  TurnMemory,
  TurnState,
  TurnStep,
  UserTurn,
} from '../turn-types.ts';
import { advanceUser, applyInterim, applyTranscript, requestTranscript, settleUser } from '../user-turn.ts';

type Muted = TurnState & { kind: 'muted' };

/** The agent, which was stopped, only listens. An utterance that has begun continues. */
export function mute(memory: TurnMemory, user: UserTurn | null, reason: MuteReason): TurnStep {
  const left = suspendUserTurn(user);
  const announced = announce({ ...memory, opening: null, unfinished: null }, 'listening');
  const muted: Muted = {
    kind: 'muted',
    memory: announced.memory,
    user: left.user && { ...left.user, over: 'silence', yields: false },
    reasons: [reason],
  };
  const restarted = replaceMessages(muted, memory.inactivity.messages);
  return prepend([...left.effects, ...announced.effects], restarted);
}

/** Adds what the user says to the history. Everything that needs a response waits. */
export function stepMuted(state: Muted, event: TurnEvent): TurnStep {
  const { memory, user } = state;
  switch (event.type) {
    case 'agent_muted':
      return stay({ ...state, reasons: [...without(state.reasons, event.reason), event.reason] });
    case 'agent_unmuted':
      return unmute({ ...state, reasons: without(state.reasons, event.reason) });
    case 'speech': {
      if (user) {
        const advanced = advanceUser(user, event.edge);
        return prepend(advanced.effects, settle(state, advanced.user));
      }
      if (event.edge !== 'speech_started') return stay(state);
      const begun = newUserTurn(memory, 'silence');
      return { state: { ...state, memory: begun.memory, user: begun.user }, effects: begun.effects };
    }
    case 'words_heard': {
      const updated = user && applyInterim(user, event);
      return stay(updated ? { ...state, user: updated } : state);
    }
    case 'transcribed':
    case 'transcription_failed': {
      const updated = user && applyTranscript(memory, user, event);
      return updated ? settle(state, updated) : stay(state);
    }
    case 'text_received':
      return stay({ ...state, memory: addPending(memory, writtenMessage(event)) });
    case 'words_forced':
      return stay({ ...state, memory: addForced(memory, event.words) });
    case 'reply_wanted':
      return stay({ ...state, memory: addPendingResponse(memory) });
    default:
      return stay(state);
  }
}

/** A written message, as it waits for the floor. */
export function writtenMessage({ text, urgency }: TurnEvent & { type: 'text_received' }): PendingMessage {
  return { text, medium: 'text', utterances: [], wantsReply: urgency !== 'later' };
}

/** Requests the transcript of an utterance that has ended. A known transcript becomes a message. */
function settle(state: Muted, user: UserTurn): TurnStep {
  const { status } = user.recognition;
  if (!user.ended || (user.isTurn && status === 'pending')) return stay({ ...state, user });
  if (user.isTurn && status === 'none') {
    const requested = requestTranscript(user);
    return { state: { ...state, user: requested.user }, effects: requested.effects };
  }
  return { state: { ...state, user: null }, effects: settleUserTurn(user) };
}

/** A turn that has begun gets its response when it ends. */
function unmute(state: Muted): TurnStep {
  const { memory, user, reasons } = state;
  if (reasons.length > 0) return stay(state);
  const next = user?.isTurn ? memory : addPendingResponse(memory);
  return user ? settleUser(next, user) : releaseFloor(next);
}

function without(reasons: readonly MuteReason[], reason: MuteReason): MuteReason[] {
  return reasons.filter((each) => each !== reason);
}
