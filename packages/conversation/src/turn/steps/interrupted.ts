import { announce, prepend, RESUME_AFTER_MS, stay } from '../transitions.ts';
import { dismiss, discardBackchannel, takesFloor, yieldToUser } from '../overlap.ts';
import type { Dismissal, TurnEffect, TurnEvent, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { advanceUser, applyInterim, applyTranscript, fillerTimer } from '../user-turn.ts';
import { hasContent } from '../transcript/classify-transcript.ts';

type Interrupted = TurnState & { kind: 'interrupted' };

/**
 * Playout is paused. Words make the speech a user turn; without words, or for a backchannel or an echo, the
 * agent continues.
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
      const updated = applyInterim(user, event);
      if (!updated) return stay(state);
      const { languageHint } = memory.settings;
      return hasContent({ ...event, languageHint, over: user.over })
        ? yieldToUser(memory, agent, updated)
        : stay({ ...state, user: updated });
    }
    case 'transcribed':
    case 'transcription_failed': {
      const updated = applyTranscript(memory, user, event);
      return updated ? judge({ ...state, user: updated }) : stay(state);
    }
    case 'timer_fired':
      if (event.timer === 'aside') return discardBackchannel(state);
      return event.timer === 'resume' ? resumeWhilePending(state) : stay(state);
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
  return user.needsResponse ? resumeWhilePending(state) : resume(state, 'unrecognised');
}

/** Resumes after a false interruption. */
function resume(state: Interrupted, why: Dismissal): TurnStep {
  const { agent, effects } = dismiss(state.agent, state.user, why);
  return resumePlayout({ ...state, agent }, null, effects);
}

/** Resumes while the transcript is still pending. */
export function resumeWhilePending(state: Interrupted): TurnStep {
  return resumePlayout(state, { ...state.user, interrupts: false }, []);
}

function resumePlayout(
  { memory, agent }: Interrupted,
  user: UserTurn | null,
  before: TurnEffect[],
): TurnStep {
  const announced = announce(memory, agent.audible ? 'speaking' : 'thinking');
  return {
    state: { kind: 'responding', memory: announced.memory, agent, user },
    effects: [
      { type: 'cancel_timer', timer: 'resume' },
      ...(agent.audible ? [{ type: 'cancel_timer' as const, timer: 'reply_overdue' as const }] : []),
      ...before,
      { type: 'resume_playout', generation: agent.generation },
      ...announced.effects,
    ],
  };
}
