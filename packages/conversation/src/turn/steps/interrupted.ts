import { announce, prepend, RESUME_AFTER_MS, stay } from '../transitions.ts';
import { dismiss, discardBackchannel, takesFloor, yieldToUser } from '../overlap.ts';
import type { Dismissal, TurnEffect, TurnEvent, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { advanceUser, applyInterim, applyTranscript, fillerTimer } from '../user-turn.ts';
import { hasContent } from '../transcript/classify-transcript.ts';

type Interrupted = TurnState & { kind: 'interrupted' };

/**
 * The agent is paused. Words make it a turn of the user's; none, a backchannel or the agent's own voice, and the agent goes on
 * where it stopped.
 */
export function stepInterrupted(state: Interrupted, event: TurnEvent): TurnStep {
  const { memory, agent, user } = state;
  switch (event.type) {
    case 'speech': {
      const advanced = advanceUser(user, event.edge);
      const effects: TurnEffect[] = [...advanced.effects];
      if (event.edge === 'endpoint_reached') {
        effects.push({ type: 'start_timer', timer: 'resume', delayMs: RESUME_AFTER_MS });
      } else if (event.edge === 'speech_started' || event.edge === 'speech_resumed') {
        effects.push({ type: 'cancel_timer', timer: 'resume' });
      }
      effects.push(...fillerTimer(advanced.user, event.edge));
      return prepend(effects, judge({ ...state, user: advanced.user }));
    }
    case 'words_heard': {
      const heard = applyInterim(user, event);
      if (!heard) return stay(state);
      const { languageHint } = memory.settings;
      return hasContent({ ...event, languageHint, over: user.over })
        ? yieldToUser(memory, agent, heard)
        : stay({ ...state, user: heard });
    }
    case 'transcribed':
    case 'transcription_failed': {
      const heard = applyTranscript(memory, user, event);
      return heard ? judge({ ...state, user: heard }) : stay(state);
    }
    case 'timer_fired':
      if (event.timer === 'aside') return discardBackchannel(state);
      return event.timer === 'resume' ? resumeMeanwhile(state) : stay(state);
    default:
      return stay(state);
  }
}

function judge(state: Interrupted): TurnStep {
  const { memory, agent, user } = state;
  const { recognition, ended } = user;
  if (recognition.status === 'known') {
    if (takesFloor(recognition.meaning, agent)) return yieldToUser(memory, agent, user);
    return ended && recognition.meaning !== 'words' ? resume(state, recognition.meaning) : stay(state);
  }
  if (!ended || recognition.status !== 'failed') return stay(state);
  return user.needsResponse ? resumeMeanwhile(state) : resume(state, 'unrecognised');
}

/** It was no interruption. */
function resume(state: Interrupted, why: Dismissal): TurnStep {
  const { agent, effects } = dismiss(state.agent, state.user, why);
  return play({ ...state, agent }, null, effects);
}

/** Words may still come: until then the agent goes on. */
export function resumeMeanwhile(state: Interrupted): TurnStep {
  return play(state, { ...state.user, interrupts: false }, []);
}

function play({ memory, agent }: Interrupted, user: UserTurn | null, before: TurnEffect[]): TurnStep {
  const told = announce(memory, agent.audible ? 'speaking' : 'thinking');
  return {
    state: { kind: 'responding', memory: told.memory, agent, user },
    effects: [
      { type: 'cancel_timer', timer: 'resume' },
      ...(agent.audible ? [{ type: 'cancel_timer' as const, timer: 'reply_overdue' as const }] : []),
      ...before,
      { type: 'resume_playout', generation: agent.generation },
      ...told.effects,
    ],
  };
}
