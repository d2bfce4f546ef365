import { announce, DECISION_TIMERS_OFF, prepend, stay } from '../transitions.ts';
import {
  canDuck,
  dismiss,
  discardBackchannel,
  duckAgent,
  duckTimer,
  nextTranscriptTimer,
  pauseAgent,
  RESUME_TIMER,
  takesFloor,
  yieldToUser,
} from '../overlap.ts';
import type { SpeechEdge } from '../../vad/speech-segmenter.ts';
import type { Dismissal, TurnEffect, TurnEvent, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { advanceUser, applyInterim, applyTranscript, fillerTimer, requestTranscript } from '../user-turn.ts';
import { hasContent } from '../transcript/classify-transcript.ts';
import { endResponse } from './responding.ts';

type Interrupted = TurnState & { kind: 'interrupted' };

const RESUME_TIMER_OFF: TurnEffect = { type: 'cancel_timer', timer: 'resume' };

/**
 * Playout is ducked or paused. Words make the speech a user turn; without words, or for a backchannel or an echo, the
 * agent continues.
 */
export function stepInterrupted(state: Interrupted, event: TurnEvent): TurnStep {
  const { memory, agent, user } = state;
  switch (event.type) {
    case 'speech': {
      const advanced = advanceUser(user, event.edge);
      const effects: TurnEffect[] = [...advanced.effects, ...resumeTimer(state, event.edge)];
      const begins = !hasDuckLimit(user) || (user.isSoft && !advanced.user.isSoft);
      if (hasDuckLimit(advanced.user) && begins && state.playout === 'ducked')
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
      if (event.timer !== 'resume') return stay(state);
      return user.speaking ? transcribeSoFar(state) : resumeWhilePending(state);
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
    return continueDucked(state);
  }
  if (user.speaking && recognition.status === 'failed') return continueDucked(state);
  if (!ended || recognition.status !== 'failed') return stay(state);
  return user.needsResponse ? resumeWhilePending(state) : resume(state, 'not_transcribed');
}

/** Whether the duck timer limits how long the agent is ducked. It does not while speech that continues is transcribed. */
function hasDuckLimit({ recognition, speaking }: UserTurn): boolean {
  return recognition.status === 'none' || (!speaking && recognition.status !== 'known');
}

/**
 * Continues at lower volume: what the user has said does not take the floor, but the user may continue. Noise taken for speech
 * may last for minutes.
 */
function continueDucked(state: Interrupted): TurnStep {
  const { memory, agent, user, playout } = state;
  if (playout === 'paused' && !canDuck(memory, agent))
    return user.speaking ? resumePlayout(state, user, []) : stay(state);
  const ducked: TurnStep =
    playout === 'ducked' ? { state, effects: [{ type: 'cancel_timer', timer: 'duck' }] } : duckAgent(state);
  return user.speaking ? prepend([nextTranscriptTimer(user)], ducked) : ducked;
}

/** The time without words starts when the agent pauses or more speech follows, and again at the end of the speech. */
function resumeTimer({ playout }: Interrupted, edge: SpeechEdge): readonly TurnEffect[] {
  switch (edge) {
    case 'endpoint_reached':
      return [RESUME_TIMER];
    case 'speech_started':
    case 'speech_resumed':
      return [playout === 'paused' ? RESUME_TIMER : RESUME_TIMER_OFF];
    case 'speech_paused':
      return [RESUME_TIMER_OFF];
    default:
      return [];
  }
}

/** Requests a transcript to find out whether long speech has words. */
function transcribeSoFar(state: Interrupted): TurnStep {
  const { user, effects } = requestTranscript({ ...state.user, isTurn: true });
  return { state: { ...state, user }, effects };
}

/** Resumes after a false interruption. */
function resume(state: Interrupted, reason: Dismissal): TurnStep {
  const { agent, effects } = dismiss(state.agent, state.user, reason);
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
