import type { SpeechEdge } from '../../vad/speech-segmenter.ts';
import { close } from '../closing.ts';
import { awaitTextResponse, hangUpUnlessUserResponds } from '../inactivity.ts';
import {
  dismiss,
  discardBackchannel,
  agentActivityOf,
  addBackchannelToPending,
  takesFloor,
  yieldToUser,
} from '../overlap.ts';
import {
  addPending,
  ALL_TIMERS_OFF,
  announce,
  apologise,
  callEnd,
  closeUtterance,
  CONTINUATION_MS,
  dismissBackchannel,
  dismissUtterance,
  ECHO_GUARD_MS,
  newUserTurn,
  prepend,
  stay,
  stopContinuation,
  cancelAgentTimers,
  releaseFloor,
} from '../transitions.ts';
import type { Dismissal, TurnEffect, TurnEvent, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { advanceUser, applyInterim, applyTranscript, settleUser } from '../user-turn.ts';
import { hasContent } from '../transcript/classify-transcript.ts';

type Responding = TurnState & { kind: 'responding' };

export function stepResponding(state: Responding, event: TurnEvent): TurnStep {
  const { memory, agent, user } = state;
  switch (event.type) {
    case 'speech':
      return speech(state, event.edge);
    case 'words_heard': {
      const heard = user && applyInterim(user, event);
      if (!heard) return stay(state);
      const { languageHint } = memory.settings;
      const counts = agent.interruptible && !heard.yields && (heard.interrupts || isAwaited(heard));
      return counts && hasContent({ ...event, languageHint, over: heard.over })
        ? yieldToUser(memory, agent, heard)
        : stay({ ...state, user: heard });
    }
    case 'transcribed':
    case 'transcription_failed': {
      const heard = user && applyTranscript(memory, user, event);
      return heard ? judge({ ...state, user: heard }) : stay(state);
    }
    case 'audio_started':
      return event.generation === agent.generation && !agent.audible ? begin(state) : stay(state);
    case 'fell_silent':
      return event.generation === agent.generation && agent.audible ? fallSilent(state) : stay(state);
    case 'spoken':
      return event.generation === agent.generation ? spoken(state, event) : stay(state);
    case 'timer_fired':
      return timerFired(state, event);
    default:
      return stay(state);
  }
}

function begin({ memory, agent, user }: Responding): TurnStep {
  const isFirst = memory.unfinished?.begun === false;
  const told = announce(isFirst ? { ...memory, unfinished: { begun: true } } : memory, 'speaking');
  const isEcho = agent.guard === 'words';
  return {
    state: {
      kind: 'responding',
      memory: told.memory,
      agent: { ...agent, audible: true, guard: isEcho ? 'words' : 'start' },
      user,
    },
    effects: [
      { type: 'cancel_timer', timer: 'reply_overdue' },
      ...(isFirst
        ? [{ type: 'start_timer' as const, timer: 'continuation' as const, delayMs: CONTINUATION_MS }]
        : []),
      ...(isEcho
        ? []
        : [{ type: 'start_timer' as const, timer: 'echo_guard' as const, delayMs: ECHO_GUARD_MS }]),
      ...told.effects,
    ],
  };
}

/** Nobody speaks to a caller who waits: they are told so, and their "okay" is an answer again. */
function fallSilent({ memory, agent, user }: Responding): TurnStep {
  const told = announce(memory, 'thinking');
  const guard = agent.guard === 'start' ? 'none' : agent.guard;
  return {
    state: {
      kind: 'responding',
      memory: told.memory,
      agent: { ...agent, audible: false, guard, aside: null },
      user,
    },
    effects: [...cancelAgentTimers(agent), ...dismissBackchannel(agent), ...told.effects],
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
      return pauseIfInterrupted(state, { ...state.user, speaking: true, isTurn: true, interrupts: true });
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
      // Too short so far to be worth a request to speech-to-text.
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

/** Words of what was said before are still to come, or known. */
function isAwaited({ recognition }: UserTurn): boolean {
  return recognition.status !== 'none';
}

/** Pauses for speech that is long enough; while the agent is guarded it must last beyond the guard, or have words. */
function pauseIfInterrupted(state: Responding, user: UserTurn): TurnStep {
  const { memory, agent } = state;
  const waits = agent.guard !== 'none' || !agent.interruptible;
  if (waits || !user.speaking || !user.interrupts) return stay({ ...state, user });
  const told = announce(memory, 'listening');
  return {
    state: { kind: 'interrupted', memory: told.memory, agent, user },
    effects: [{ type: 'pause_playout', generation: agent.generation }, ...told.effects],
  };
}

/** What the words of speech over the agent, who goes on, make of it. */
function judge(state: Responding): TurnStep {
  const { memory, agent, user } = state;
  if (!user) return stay(state);
  const { recognition, ended } = user;
  if (recognition.status === 'known') {
    const taken = takesFloor(recognition.meaning, agent);
    if (taken && agent.interruptible && !user.yields) return yieldToUser(memory, agent, user);
    if (!ended) return stay(state);
    if (!taken) return goOn(state, user, recognition.meaning === 'words' ? 'nothing' : recognition.meaning);
    // It is answered when the agent is done.
    const { text } = recognition;
    const message = { text, medium: 'voice' as const, utterances: [user.utterance], wantsReply: true };
    return {
      state: { ...state, memory: addPending(memory, message), user: null },
      effects: closeUtterance(user),
    };
  }
  if (!ended) return stay(state);
  // The agent apologises when it has said what it says now.
  if (recognition.status === 'failed')
    return user.needsResponse ? stay(state) : goOn(state, user, 'unrecognised');
  if (user.isTurn) return stay(state);
  return { state: { ...state, user: null }, effects: dismissUtterance(user, 'too_short') };
}

function goOn(state: Responding, user: UserTurn, why: Dismissal): TurnStep {
  const { agent, effects } = dismiss(state.agent, user, why);
  return { state: { ...state, agent, user: null }, effects };
}

function spoken(state: Responding, { failed, medium, next }: TurnEvent & { type: 'spoken' }): TurnStep {
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
    return prepend([...done, ...dismissBackchannel(agent)], apologise(state.memory, 'trouble', user));
  // Who speaks after a whole response says something else.
  const memory = addBackchannelToPending({ ...state.memory, unfinished: null }, agent);
  const calm =
    hangUp && !agent.isAnswered
      ? hangUpUnlessUserResponds(memory)
      : agent.apology
        ? memory
        : { ...memory, failures: 0 };
  const waits = awaitTextResponse(calm, medium);
  // The user may have begun to speak as the agent ended: that is another turn.
  return prepend(
    [...done, ...waits.effects],
    user ? settleUser(waits.memory, { ...user, continues: false }) : releaseFloor(waits.memory),
  );
}
