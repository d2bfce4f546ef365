import type { SpeechEdge } from '../../vad/speech-segmenter.ts';
import { apologize } from '../apology.ts';
import { close } from '../closing.ts';
import { awaitTextResponse, hangUpUnlessUserResponds } from '../inactivity.ts';
import {
  canDuck,
  dismiss,
  discardBackchannel,
  duckAgent,
  duckForNoise,
  duckTimer,
  pauseAgent,
  agentActivityOf,
  addBackchannelToPending,
  takesFloor,
  yieldToUser,
} from '../overlap.ts';
import { addPending } from '../pending-messages.ts';
import {
  ALL_TIMERS_OFF,
  announce,
  callEnd,
  closeUtterance,
  CONTINUATION_MS,
  dismissBackchannel,
  dismissUtterance,
  ECHO_GUARD_MS,
  isNoise,
  newUserTurn,
  prepend,
  stay,
  stopContinuation,
  cancelAgentTimers,
  releaseFloor,
} from '../transitions.ts';
import type { Dismissal, TurnEffect, TurnEvent, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { ignoresPrompt } from '../phone-menu.ts';
import { advanceUser, applyInterim, applyTranscript, settleUser } from '../user-turn.ts';
import { hasContent } from '../transcript/classify-transcript.ts';

type Responding = TurnState & { kind: 'responding' };

export function stepResponding(state: Responding, event: TurnEvent): TurnStep {
  const { memory, agent, user } = state;
  switch (event.type) {
    case 'speech':
      return speech(state, event.edge);
    case 'words_heard': {
      const updated = user && applyInterim(user, event);
      if (!updated) return stay(state);
      const { languageHint } = memory.settings;
      const isFree = agent.interruptible && !updated.yields && !ignoresPrompt(memory, agent);
      const counts = isFree && (updated.interrupts || isAwaited(updated));
      return counts && hasContent({ ...event, languageHint, over: updated.over })
        ? yieldToUser(memory, agent, updated)
        : stay({ ...state, user: updated });
    }
    case 'transcribed':
    case 'transcription_failed': {
      const updated = user && applyTranscript(memory, user, event);
      return updated ? judge({ ...state, user: updated }) : stay(state);
    }
    case 'audio_started':
      return event.generation === agent.generation && !agent.audible ? begin(state) : stay(state);
    case 'fell_silent':
      return event.generation === agent.generation && agent.audible ? fallSilent(state) : stay(state);
    case 'spoken':
      return event.generation === agent.generation ? endResponse(state, event) : stay(state);
    case 'timer_fired':
      return timerFired(state, event);
    default:
      return stay(state);
  }
}

function begin(state: Responding): TurnStep {
  const { memory, agent, user } = state;
  const isFirst = memory.unfinished?.begun === false;
  const announced = announce(isFirst ? { ...memory, unfinished: { begun: true } } : memory, 'speaking');
  // Speech that began before the agent was audible is not its echo.
  const isPrompt = memory.menu !== null && user?.speaking === true;
  const guard = agent.guard === 'words' ? 'words' : isPrompt ? 'none' : 'start';
  const audible: Responding = {
    ...state,
    memory: announced.memory,
    agent: { ...agent, audible: true, guard },
  };
  const effects: TurnEffect[] = [
    { type: 'cancel_timer', timer: 'reply_overdue' },
    ...(isFirst
      ? [{ type: 'start_timer' as const, timer: 'continuation' as const, delayMs: CONTINUATION_MS }]
      : []),
    ...(guard === 'start'
      ? [{ type: 'start_timer' as const, timer: 'echo_guard' as const, delayMs: ECHO_GUARD_MS }]
      : []),
    ...announced.effects,
  ];
  return prepend(effects, isPrompt ? pauseIfInterrupted(audible, user) : stay(audible));
}

/**
 * The agent is silent while the response continues: announces `thinking`, and an "okay" counts as a turn again.
 */
function fallSilent({ memory, agent, user }: Responding): TurnStep {
  const announced = announce(memory, 'thinking');
  const guard = agent.guard === 'start' ? 'none' : agent.guard;
  return {
    state: {
      kind: 'responding',
      memory: announced.memory,
      agent: { ...agent, audible: false, guard, aside: null },
      user,
    },
    effects: [...cancelAgentTimers(agent), ...dismissBackchannel(agent), ...announced.effects],
  };
}

function timerFired(state: Responding, { timer }: TurnEvent & { type: 'timer_fired' }): TurnStep {
  const { agent, user } = state;
  switch (timer) {
    case 'reply_overdue':
      if (agent.audible) return stay(state);
      return { state, effects: [{ type: 'fill_silence', generation: agent.generation }] };
    case 'aside':
      return discardBackchannel(state);
    case 'echo_guard': {
      if (agent.guard !== 'start') return stay(state);
      const unguarded: Responding = { ...state, agent: { ...agent, guard: 'none' } };
      return user ? pauseIfInterrupted(unguarded, user) : stay(unguarded);
    }
    default:
      return stay(state);
  }
}

function speech(state: Responding, edge: SpeechEdge): TurnStep {
  const { agent } = state;
  if (!state.user) {
    if (edge !== 'speech_started') return stay(state);
    const begun = newUserTurn(state.memory, agentActivityOf(agent));
    return { state: { ...state, memory: begun.memory, user: begun.user }, effects: begun.effects };
  }
  if (agent.interruptible) {
    if (edge === 'interruption_reached') {
      const user: UserTurn = { ...state.user, speaking: true, isTurn: true, interrupts: true };
      const { memory } = state;
      return isInterrupted(state, user) && !isNoise(user) && canDuck(memory, agent)
        ? prepend(duckTimer(memory, user), duckAgent({ memory, agent, user }))
        : pauseIfInterrupted(state, user);
    }
    if (!state.user.interrupts) return belowInterruption(state, state.user, edge);
  }
  const { user, effects } = advanceUser(state.user, edge);
  const next = judge({ ...state, user });
  if (next.state.kind !== 'responding' || next.state.user === null) return prepend(effects, next);
  return prepend(effects, pauseIfInterrupted(next.state, user));
}

function belowInterruption(state: Responding, user: UserTurn, edge: SpeechEdge): TurnStep {
  switch (edge) {
    case 'speech_paused':
      // Too short for a transcript.
      return stay({ ...state, user: { ...user, speaking: false } });
    case 'endpoint_reached':
      if (isAwaited(user)) return judge({ ...state, user: { ...user, speaking: false, ended: true } });
      return { state: { ...state, user: null }, effects: dismissUtterance(user, 'too_short') };
    case 'speech_started':
    case 'speech_resumed':
      if (isAwaited(user)) return stay({ ...state, user: { ...user, speaking: true, ended: false } });
      return stay({ ...state, user: advanceUser(user, edge).user });
    default:
      return stay({ ...state, user: advanceUser(user, edge).user });
  }
}

/** Whether a transcript is pending or known. */
function isAwaited({ recognition }: UserTurn): boolean {
  return recognition.status !== 'none';
}

function pauseIfInterrupted(state: Responding, user: UserTurn): TurnStep {
  const { memory, agent } = state;
  if (!isInterrupted(state, user)) return stay({ ...state, user });
  const overlap = { memory, agent, user };
  if (isNoise(user)) return canDuck(memory, agent) ? duckForNoise(overlap) : stay({ ...state, user });
  return user.isSoft && canDuck(memory, agent) ? duckAgent(overlap) : pauseAgent(overlap);
}

/** Whether speech is long enough. Under the echo guard, it must outlast the guard or have words. */
function isInterrupted({ memory, agent }: Responding, user: UserTurn): boolean {
  const waits = agent.guard !== 'none' || !agent.interruptible || ignoresPrompt(memory, agent);
  return !waits && user.speaking && user.interrupts;
}

/** Decides what a transcript of speech over the agent means. */
function judge(state: Responding): TurnStep {
  const { memory, agent, user } = state;
  if (!user) return stay(state);
  const { recognition, ended } = user;
  if (recognition.status === 'known') {
    const taken = takesFloor(recognition.meaning, agent);
    const isIgnored = ignoresPrompt(memory, agent);
    if (taken && agent.interruptible && !user.yields && !isIgnored) return yieldToUser(memory, agent, user);
    if (!ended) return stay(state);
    if (!taken)
      return continueResponse(state, user, recognition.meaning === 'words' ? 'nothing' : recognition.meaning);
    // Answered after the current response. The rest of a menu's prompt is answered together with what the menu says
    // next.
    const { text } = recognition;
    const message = { text, medium: 'voice' as const, utterances: [user.utterance], wantsReply: !isIgnored };
    return {
      state: { ...state, memory: addPending(memory, message), user: null },
      effects: closeUtterance(user),
    };
  }
  if (!ended) return stay(state);
  // The agent apologizes after the current response.
  if (recognition.status === 'failed')
    return user.needsResponse ? stay(state) : continueResponse(state, user, 'not_transcribed');
  if (user.isTurn) return stay(state);
  return { state: { ...state, user: null }, effects: dismissUtterance(user, 'too_short') };
}

function continueResponse(state: Responding, user: UserTurn, reason: Dismissal): TurnStep {
  const { agent, effects } = dismiss(state.agent, user, reason);
  return { state: { ...state, agent, user: null }, effects };
}

/** The response was played to its end; `user` may be speaking over it. */
export function endResponse(
  state: Pick<Responding, 'memory' | 'agent' | 'user'>,
  { failed, medium, next }: TurnEvent & { type: 'spoken' },
): TurnStep {
  const { agent, user } = state;
  const hangUp = next?.kind === 'hang_up' ? next : null;
  const done: TurnEffect[] = [
    { type: 'cancel_timer', timer: 'reply_overdue' },
    ...cancelAgentTimers(agent),
    ...stopContinuation(state.memory),
  ];
  const end = agent.thenEnd ?? (hangUp?.unlessAnswered === false ? callEnd('agent_hangup', hangUp) : null);
  if (end) return close(state.memory, user, [...ALL_TIMERS_OFF, ...dismissBackchannel(agent)], end);
  if (failed)
    return prepend([...done, ...dismissBackchannel(agent)], apologize(state.memory, 'trouble', user));
  // Speech after a complete response is a new turn.
  const memory = addBackchannelToPending({ ...state.memory, unfinished: null }, agent);
  const calm =
    hangUp && !agent.isAnswered
      ? hangUpUnlessUserResponds(memory)
      : agent.apology
        ? memory
        : { ...memory, failures: 0 };
  const waits = awaitTextResponse(calm, medium);
  // Speech that started as the agent ended is a new turn.
  return prepend(
    [...done, ...waits.effects],
    user ? settleUser(waits.memory, { ...user, continues: false }) : releaseFloor(waits.memory),
  );
}
