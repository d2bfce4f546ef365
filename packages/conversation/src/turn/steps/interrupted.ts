import { announce, dropUser, prepend, RESUME_AFTER_MS, stay } from '../transitions.ts';
import type { TurnEffect, TurnEvent, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { advanceUser, hearTranscript, overdueTimer, settleUser } from '../user-turn.ts';

type Interrupted = TurnState & { kind: 'interrupted' };

/** The agent is paused. Words make it a turn of the user's; none, and the agent goes on where it stopped. */
export function stepInterrupted(state: Interrupted, event: TurnEvent): TurnStep {
  switch (event.type) {
    case 'speech': {
      const advanced = advanceUser(state.user, event.edge);
      const effects: TurnEffect[] = [...advanced.effects];
      if (event.edge === 'endpoint_reached') {
        effects.push({ type: 'start_timer', timer: 'resume', delayMs: RESUME_AFTER_MS });
      } else if (event.edge === 'speech_started' || event.edge === 'speech_resumed') {
        effects.push({ type: 'cancel_timer', timer: 'resume' });
      }
      effects.push(...overdueTimer(advanced.user, event.edge));
      return prepend(effects, judge({ ...state, user: advanced.user }));
    }
    case 'words_heard':
      return event.utterance === state.user.utterance ? yieldTo(state, state.user) : stay(state);
    case 'transcribed':
    case 'transcription_failed': {
      const heard = hearTranscript(state.user, event);
      return heard ? judge({ ...state, user: heard }) : stay(state);
    }
    case 'timer_fired':
      return event.timer === 'resume' ? resume(state) : stay(state);
    default:
      return stay(state);
  }
}

function judge(state: Interrupted): TurnStep {
  const { recognition, ended } = state.user;
  if (recognition.status === 'known' && recognition.text !== '') return yieldTo(state, state.user);
  const nothing = recognition.status === 'known' || recognition.status === 'failed';
  return ended && nothing ? resume(state) : stay(state);
}

/** The interruption is real. */
function yieldTo(state: Interrupted, user: UserTurn): TurnStep {
  return prepend(
    [
      { type: 'cancel_timer', timer: 'resume' },
      { type: 'interrupt_generation', generation: state.agent.generation },
    ],
    settleUser(state.memory, user),
  );
}

function resume(state: Interrupted): TurnStep {
  const { agent, user } = state;
  const told = announce(state.memory, agent.audible ? 'speaking' : 'thinking');
  return {
    state: { kind: 'responding', memory: told.memory, agent, user: null },
    effects: [
      { type: 'cancel_timer', timer: 'resume' },
      ...(agent.audible ? [{ type: 'cancel_timer' as const, timer: 'reply_overdue' as const }] : []),
      ...dropUser(user),
      { type: 'resume_playout', generation: agent.generation },
      ...told.effects,
    ],
  };
}
