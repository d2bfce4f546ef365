import { announce, DECISION_TIMERS_OFF, prepend, RESUME_AFTER_MS, stay } from '../transitions.ts';
import {
  canDuck,
  dismiss,
  discardBackchannel,
  duckAgent,
  duckTimer,
  pauseAgent,
  takesFloor,
  yieldToUser,
} from '../overlap.ts';
import type { Dismissal, TurnEffect, TurnEvent, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { advanceUser, applyInterim, applyTranscript, fillerTimer } from '../user-turn.ts';
import { hasContent } from '../transcript/classify-transcript.ts';
import { endResponse } from './responding.ts';

type Interrupted = TurnState & { kind: 'interrupted' };

/**
 * Playout is ducked or paused. Words make the speech a user turn; without words, or for a backchannel or an echo, the
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
      const isUndecided = advanced.user.recognition.status !== 'known';
      const begins = user.recognition.status === 'known' || (user.isSoft && !advanced.user.isSoft);
      if (isUndecided && begins && state.playout === 'ducked')
        effects.push(...duckTimer(memory, advanced.user));
      effects.push(...fillerTimer(advanced.user, event.edge));
      return prepend(effects, judge({ ...state, user: advanced.user }));
    }
    case 'words_heard': {
      const updated = applyInterim(user, event);
      if (!updated) return stay(state);
      const { languageHint } = memory.settings;
      if (hasContent({ ...event, languageHint, over: user.over })) return yieldToUser(memory, agent, updated);
      const effects = state.playout === 'ducked' ? duckTimer(memory, updated) : [];
      return { state: { ...state, user: updated }, effects };
    }
    case 'transcribed':
    case 'transcription_failed': {
      const updated = applyTranscript(memory, user, event);
      return updated ? judge({ ...state, user: updated }) : stay(state);
    }
    case 'fell_silent':
    case 'spoken':
      return event.generation === agent.generation && state.playout === 'ducked'
        ? outOfAudio(state, event)
        : stay(state);
    case 'timer_fired':
      if (event.timer === 'aside') return discardBackchannel(state);
      if (event.timer === 'duck')
        return state.playout === 'ducked' && !user.isSoft ? pauseAgent(state) : stay(state);
      return event.timer === 'resume' ? resumeWhilePending(state) : stay(state);
    default:
      return stay(state);
  }
}

/** A ducked response has no more audio, for now or at all. */
function outOfAudio(state: Interrupted, event: TurnEvent & { type: 'fell_silent' | 'spoken' }): TurnStep {
  if (event.type === 'spoken') return prepend(DECISION_TIMERS_OFF, endResponse(state, event));
  return pauseAgent({ ...state, agent: { ...state.agent, audible: false } });
}

function judge(state: Interrupted): TurnStep {
  const { memory, agent, user } = state;
  const { recognition, ended } = user;
  if (recognition.status === 'known') {
    if (takesFloor(recognition.meaning, agent)) return yieldToUser(memory, agent, user);
    if (ended && recognition.meaning !== 'words') return resume(state, recognition.meaning);
    return user.speaking ? stay(state) : continueSoftly(state);
  }
  if (!ended || recognition.status !== 'failed') return stay(state);
  return user.needsResponse ? resumeWhilePending(state) : resume(state, 'unrecognised');
}

/** The user has said nothing that takes the floor, but may continue. */
function continueSoftly(state: Interrupted): TurnStep {
  const { memory, agent, playout } = state;
  if (playout === 'ducked') return { state, effects: [{ type: 'cancel_timer', timer: 'duck' }] };
  return canDuck(memory, agent) ? duckAgent(state) : stay(state);
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
      ...DECISION_TIMERS_OFF,
      ...(agent.audible ? [{ type: 'cancel_timer' as const, timer: 'reply_overdue' as const }] : []),
      ...before,
      { type: 'resume_playout', generation: agent.generation },
      ...announced.effects,
    ],
  };
}
