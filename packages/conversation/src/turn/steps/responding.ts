import type { SpeechEdge } from '../../vad/speech-segmenter.ts';
import { awaitAnswer, hangUpUnlessAnswered } from '../inactivity.ts';
import { dismiss, forgetAside, heardOver, keepAside, takesFloor, yieldTo } from '../overlap.ts';
import {
  addPending,
  ALL_TIMERS_OFF,
  announce,
  apologise,
  callEnd,
  dropUser,
  ECHO_GUARD_MS,
  newUserTurn,
  prepend,
  stay,
  stopMinding,
  yieldFloor,
} from '../transitions.ts';
import type { Dismissal, TurnEffect, TurnEvent, TurnState, TurnStep, UserTurn } from '../turn-types.ts';
import { advanceUser, hearTranscript, settleUser } from '../user-turn.ts';
import { areTelling } from '../words/meaning.ts';

type Responding = TurnState & { kind: 'responding' };

export function stepResponding(state: Responding, event: TurnEvent): TurnStep {
  const { memory, agent, user } = state;
  switch (event.type) {
    case 'speech':
      return speech(state, event.edge);
    case 'words_heard': {
      if (!agent.interruptible || !user?.interrupts || event.utterance !== user.utterance) return stay(state);
      const { languageHint } = memory.settings;
      return areTelling({ ...event, languageHint, over: user.over })
        ? yieldTo(memory, agent, user)
        : stay(state);
    }
    case 'transcribed':
    case 'transcription_failed': {
      const heard = user && hearTranscript(memory, user, event);
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
  const told = announce(memory, 'speaking');
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
    effects: [...stopMinding(agent), ...told.effects],
  };
}

function timerFired(state: Responding, { timer }: TurnEvent & { type: 'timer_fired' }): TurnStep {
  const { agent, user } = state;
  switch (timer) {
    case 'reply_overdue':
      if (agent.audible) return stay(state);
      return { state, effects: [{ type: 'fill_silence', generation: agent.generation }] };
    case 'aside':
      return forgetAside(state);
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
    const begun = newUserTurn(state.memory, heardOver(agent));
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
      // Too short so far to be worth the recogniser's time.
      return stay({ ...state, user: { ...user, speaking: false } });
    case 'endpoint_reached':
      return { state: { ...state, user: null }, effects: dropUser(user) };
    default:
      return stay({ ...state, user: advanceUser(user, edge).user });
  }
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
    if (taken && agent.interruptible) return yieldTo(memory, agent, user);
    if (!ended) return stay(state);
    if (!taken) return goOn(state, user, recognition.meaning === 'words' ? 'nothing' : recognition.meaning);
    // Speech over an uninterruptible agent is answered when the agent is done.
    const kept = addPending(memory, { text: recognition.text, medium: 'voice', wantsReply: true });
    return { state: { ...state, memory: kept, user: null }, effects: dropUser(user) };
  }
  if (!ended) return stay(state);
  if (recognition.status === 'failed') return goOn(state, user, 'unrecognised');
  return user.isTurn ? stay(state) : { state: { ...state, user: null }, effects: dropUser(user) };
}

function goOn(state: Responding, user: UserTurn, why: Dismissal): TurnStep {
  const { agent, effects } = dismiss(state.agent, user, why);
  return { state: { ...state, agent, user: null }, effects };
}

function spoken(state: Responding, { failed, medium, next }: TurnEvent & { type: 'spoken' }): TurnStep {
  const { agent, user } = state;
  const hangUp = next?.kind === 'hang_up' ? next : null;
  const done: TurnEffect[] = [{ type: 'cancel_timer', timer: 'reply_overdue' }, ...stopMinding(agent)];
  const end = agent.thenEnd ?? (hangUp?.unlessAnswered === false ? callEnd('agent_hangup', hangUp) : null);
  if (end) {
    return {
      state: { kind: 'closed', memory: state.memory },
      effects: [...ALL_TIMERS_OFF, ...(user ? dropUser(user) : []), { type: 'end_call', ...end }],
    };
  }
  if (failed) return prepend(done, apologise(state.memory, 'trouble', user));
  const memory = keepAside(state.memory, agent);
  const calm =
    hangUp && !agent.isAnswered
      ? hangUpUnlessAnswered(memory)
      : agent.apology
        ? memory
        : { ...memory, failures: 0 };
  const waits = awaitAnswer(calm, medium);
  // The user may have begun to speak as the agent ended.
  return prepend(
    [...done, ...waits.effects],
    user ? settleUser(waits.memory, user) : yieldFloor(waits.memory),
  );
}
