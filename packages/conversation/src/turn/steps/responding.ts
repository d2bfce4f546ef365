import type { SpeechEdge } from '../../vad/speech-segmenter.ts';
import {
  addPending,
  ALL_TIMERS_OFF,
  announce,
  apologise,
  dropUser,
  newUserTurn,
  prepend,
  stay,
  yieldFloor,
} from '../transitions.ts';
import type { TurnEffect, TurnEvent, TurnMemory, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { hangUpUnlessAnswered } from '../inactivity.ts';
import { advanceUser, hearTranscript, settleUser } from '../user-turn.ts';

type Responding = TurnState & { kind: 'responding' };

export function stepResponding(state: Responding, event: TurnEvent): TurnStep {
  const { agent } = state;
  switch (event.type) {
    case 'speech':
      return speech(state, event.edge);
    case 'transcribed':
    case 'transcription_failed': {
      const heard = state.user && hearTranscript(state.user, event);
      return heard ? keepForLater({ ...state, user: heard }) : stay(state);
    }
    case 'audio_started': {
      if (event.generation !== agent.generation) return stay(state);
      const told = announce(state.memory, 'speaking');
      return {
        state: { ...state, memory: told.memory, agent: { ...agent, audible: true } },
        effects: [{ type: 'cancel_timer', timer: 'reply_overdue' }, ...told.effects],
      };
    }
    case 'spoken':
      return event.generation === agent.generation ? spoken(state, event) : stay(state);
    case 'timer_fired':
      if (event.timer !== 'reply_overdue' || agent.audible) return stay(state);
      return { state, effects: [{ type: 'fill_silence', generation: agent.generation }] };
    default:
      return stay(state);
  }
}

function speech(state: Responding, edge: SpeechEdge): TurnStep {
  const { agent } = state;
  if (!state.user) {
    if (edge !== 'speech_started') return stay(state);
    const begun = newUserTurn(state.memory);
    return { state: { ...state, memory: begun.memory, user: begun.user }, effects: begun.effects };
  }
  if (!agent.interruptible) {
    const advanced = advanceUser(state.user, edge);
    return prepend(advanced.effects, keepForLater({ ...state, user: advanced.user }));
  }
  switch (edge) {
    case 'interruption_reached': {
      const told = announce(state.memory, 'listening');
      const user = { ...state.user, speaking: true, isTurn: true };
      return {
        state: { kind: 'interrupted', memory: told.memory, agent, user },
        effects: [{ type: 'pause_playout', generation: agent.generation }, ...told.effects],
      };
    }
    case 'speech_paused':
      // Too short so far to be worth the recogniser's time.
      return stay({ ...state, user: { ...state.user, speaking: false } });
    case 'endpoint_reached':
      return { state: { ...state, user: null }, effects: dropUser(state.user) };
    default:
      return stay({ ...state, user: advanceUser(state.user, edge).user });
  }
}

/** Speech over an agent that may not be interrupted is answered when the agent is done. */
function keepForLater(state: Responding): TurnStep {
  const { user } = state;
  if (!user?.ended) return stay(state);
  const { recognition } = user;
  const open = user.isTurn && (recognition.status === 'pending' || recognition.status === 'none');
  if (open) return stay(state);
  const memory: TurnMemory =
    recognition.status === 'known' && recognition.text !== ''
      ? addPending(state.memory, { text: recognition.text, medium: 'voice', wantsReply: true })
      : state.memory;
  return { state: { ...state, memory, user: null }, effects: dropUser(user) };
}

function spoken(state: Responding, { failed, next }: TurnEvent & { type: 'spoken' }): TurnStep {
  const { agent, user, memory } = state;
  const hangUp = next?.kind === 'hang_up' ? next : null;
  const done: TurnEffect[] = [{ type: 'cancel_timer', timer: 'reply_overdue' }];
  const endReason = agent.thenEnd ?? (hangUp?.unlessAnswered === false ? 'agent_hangup' : null);
  if (endReason) {
    return {
      state: { kind: 'closed', memory },
      effects: [...ALL_TIMERS_OFF, ...(user ? dropUser(user) : []), { type: 'end_call', reason: endReason }],
    };
  }
  if (failed) return prepend(done, apologise(memory, 'trouble', user));
  const calm = hangUp ? hangUpUnlessAnswered(memory) : agent.apology ? memory : { ...memory, failures: 0 };
  return prepend(done, user ? takeFloor(calm, user) : yieldFloor(calm));
}

/** The user began to speak as the agent ended. */
function takeFloor(memory: TurnMemory, user: UserTurn): TurnStep {
  return settleUser(memory, user);
}
