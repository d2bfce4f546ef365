import type { InactivityMessageSpec } from '@calls/api-contract/call-spec';
import { unreachable } from '@calls/foundation/errors';
import { close, stepClosed } from './closing.ts';
import { holdTools } from './contested-floor.ts';
import {
  changeHold,
  initialInactivity,
  stepInactivity,
  replaceMessages,
  inactivityElapsed,
} from './inactivity.ts';
import { suspendUserTurn } from './overlap.ts';
import { watchLongSpeech } from './long-speech.ts';
import { followTools, responseMissing, watchResponse } from './response-watch.ts';
import { resumeWhilePending, stepInterrupted } from './steps/interrupted.ts';
import { stepListening } from './steps/listening.ts';
import { changeMenu, withoutFillers } from './phone-menu.ts';
import { mute, stepMuted, writtenMessage } from './steps/muted.ts';
import { stepResponding } from './steps/responding.ts';
import { stepUserHoldsFloor } from './steps/user-holds-floor.ts';
import { addForced, addPending, addPendingResponse, flushPending } from './pending-messages.ts';
import {
  ALL_TIMERS_OFF,
  callEnd,
  DECISION_TIMERS_OFF,
  interruptAgent,
  prepend,
  respond,
  speakForced,
  stay,
  stopContinuation,
  releaseFloor,
} from './transitions.ts';
import type { PhoneMenu, TurnSettings } from './turn-settings.ts';
import type { InterruptedCalls } from '../tools/tool-interruption.ts';
import type {
  AgentTurn,
  MuteReason,
  OpenState,
  TurnEffect,
  TurnEvent,
  TurnMemory,
  TurnState,
  TurnStep,
  UserTurn,
} from './turn-types.ts';

export function initialTurnState(
  inactivityMessages: readonly InactivityMessageSpec[] = [],
  settings: Partial<TurnSettings> = {},
  menu: PhoneMenu | null = null,
): TurnState {
  return {
    kind: 'listening',
    memory: {
      nextGeneration: 1,
      nextUtterance: 1,
      pending: [],
      forced: [],
      opening: null,
      inactivity: initialInactivity(inactivityMessages),
      settings: { languageHint: null, acceptsAudio: false, speculation: true, duckMs: 0, ...settings },
      menu,
      failures: 0,
      unfinished: null,
      isNoisy: false,
      watch: { owed: false, running: false, late: false },
      announced: 'idle',
    },
  };
}

/**
 * Decides who holds the floor and what follows. Pure: no clock, no I/O; the session applies the effects in
 * order. Events about outdated generations, utterances and revisions are ignored.
 */
export function stepTurn(state: TurnState, event: TurnEvent): TurnStep {
  return state.kind === 'closed'
    ? stepClosed(state, event)
    : withoutFillers(
        watchLongSpeech(
          state,
          stepInactivity(watchResponse(state, event, holdTools(state, stepOpen(state, event)))),
        ),
      );
}

function stepOpen(state: OpenState, event: TurnEvent): TurnStep {
  switch (event.type) {
    case 'closed':
    case 'suspended':
      return close(state.memory, userOf(state), stopAgent(state), null);
    case 'ending':
      return end(state, event);
    case 'stage_changed':
      return changeStage(state, event);
    case 'menu_changed':
      return changeMenu(state, event);
    case 'hold_changed':
      return changeHold(state, event.isOnHold);
    case 'speculation_changed': {
      const settings = { ...state.memory.settings, speculation: event.speculation };
      return stay({ ...state, memory: { ...state.memory, settings } });
    }
    default:
      return state.kind === 'muted' ? stepMuted(state, event) : stepUnmuted(state, event);
  }
}

type UnmutedState = Exclude<OpenState, { kind: 'muted' }>;

function stepUnmuted(state: UnmutedState, event: TurnEvent): TurnStep {
  switch (event.type) {
    case 'agent_muted':
      return canMute(state, event.reason)
        ? prepend(stopAgent(state), mute(state.memory, userOf(state), event.reason))
        : stay(state);
    case 'text_received':
      return text(state, event);
    case 'key_pressed':
      return pressKey(state);
    case 'words_forced':
      return speakForcedMessage(state, event);
    case 'answer_is_last':
      return endAfterResponse(state, event);
    case 'reply_wanted':
      return requestResponse(state);
    case 'tools_started':
    case 'tools_settled':
      return followTools(state, event);
    case 'timer_fired':
      if (event.timer === 'response_due') return responseMissing(state);
      if (event.timer === 'continuation') return stay(finishTurn(state));
      return event.timer === 'inactivity' ? stay(inactivityElapsed(state)) : stepFloor(state, event);
    default:
      return stepFloor(state, event);
  }
}

function stepFloor(state: UnmutedState, event: TurnEvent): TurnStep {
  switch (state.kind) {
    case 'listening':
      return stepListening(state, event);
    case 'userSpeaking':
    case 'endpointing':
      return stepUserHoldsFloor(state, event);
    case 'responding':
      return stepResponding(state, event);
    case 'interrupted':
      return stepInterrupted(state, event);
    default:
      return unreachable(state);
  }
}

function changeStage(state: OpenState, event: TurnEvent & { type: 'stage_changed' }): TurnStep {
  const { type: _type, inactivityMessages, ...changed } = event;
  const settings = { ...state.memory.settings, ...changed };
  const separate = separateTurns(state);
  return prepend(
    stopContinuation(state.memory),
    replaceMessages({ ...separate, memory: { ...separate.memory, settings } }, inactivityMessages),
  );
}

/** Ends the user's turn: later speech is a new one. */
function finishTurn(state: OpenState): OpenState {
  return { ...state, memory: { ...state.memory, unfinished: null } };
}

/** Messages belong to their stage, so no turn continues in the next stage. */
function separateTurns(state: OpenState): OpenState {
  const finished = finishTurn(state);
  if (finished.kind === 'listening' || !finished.user) return finished;
  return { ...finished, user: { ...finished.user, continues: false } };
}

function end(state: OpenState, event: TurnEvent & { type: 'ending' }): TurnStep {
  const { words, reason } = event;
  const thenEnd = callEnd(reason, event);
  if (words !== '' && agentOf(state)?.thenEnd) return stay(state);
  if (words === '') return close(state.memory, userOf(state), stopAgent(state), thenEnd);
  const left = suspendUserTurn(userOf(state));
  const { memory, effects: written } = flushPending(state.memory);
  const last = respond(
    { ...memory, forced: [], opening: null },
    { kind: 'words', text: words },
    { interruptible: false, thenEnd, user: left.user },
  );
  return prepend([...stopAgent(state), ...left.effects, ...written], last);
}

function text(state: OpenState, event: TurnEvent & { type: 'text_received' }): TurnStep {
  const message = writtenMessage(event);
  const { wantsReply } = message;
  const pending = addPending(state.memory, message);
  if (state.kind === 'listening') return releaseFloor(wantsReply ? withoutOpening(pending) : pending);
  if (event.urgency !== 'immediate' || !canInterrupt(state)) return stay({ ...state, memory: pending });
  const left = suspendUserTurn(userOf(state));
  const { memory, effects } = flushPending(pending);
  return prepend(
    [...interruptFor(state, 'running'), ...left.effects, ...effects],
    respond(memory, { kind: 'reply' }, { user: left.user }),
  );
}

/** Removes an opening that can be interrupted, because something else comes first. */
function withoutOpening(memory: TurnMemory): TurnMemory {
  return memory.opening?.interruptible ? { ...memory, opening: null } : memory;
}

/** Typing counts as user activity. */
function pressKey(state: OpenState): TurnStep {
  const hasAgent = state.kind === 'responding' || state.kind === 'interrupted';
  const typing = hasAgent ? { ...state, agent: { ...state.agent, isAnswered: true } } : state;
  return replaceMessages(typing, state.memory.inactivity.messages);
}

/** Not during the last response. A transfer replaces the hang-up that the model requested with it. */
function canMute(state: OpenState, reason: MuteReason): boolean {
  const end = agentOf(state)?.thenEnd;
  const isHangUp = end?.reason === 'agent_hangup' && end.transferTo === undefined;
  return !end || (reason === 'transfer' && isHangUp);
}

function endAfterResponse(state: OpenState, event: TurnEvent & { type: 'answer_is_last' }): TurnStep {
  const agent = agentOf(state);
  if (agent?.generation !== event.generation) return stay(state);
  const last: AgentTurn = { ...agent, interruptible: false, thenEnd: callEnd(event.reason, event) };
  if (state.kind === 'interrupted') return resumeWhilePending({ ...state, agent: last });
  return state.kind === 'responding' ? stay({ ...state, agent: last }) : stay(state);
}

function requestResponse(state: OpenState): TurnStep {
  const memory = addPendingResponse(state.memory);
  return state.kind === 'listening' ? releaseFloor(withoutOpening(memory)) : stay({ ...state, memory });
}

function speakForcedMessage(
  state: OpenState,
  { words, atOnce }: TurnEvent & { type: 'words_forced' },
): TurnStep {
  const { memory } = state;
  if (state.kind === 'listening') return speakForced(memory, words);
  if (atOnce && canInterrupt(state)) {
    const user = userOf(state);
    const left = suspendUserTurn(user);
    const isMessage = user !== null && left.user === null;
    const next = isMessage || memory.watch.owed ? addPendingResponse(memory) : memory;
    return prepend([...interruptFor(state), ...left.effects], speakForced(next, words, left.user));
  }
  return stay({ ...state, memory: addForced(memory, words) });
}

function canInterrupt(state: OpenState): boolean {
  return agentOf(state)?.interruptible ?? true;
}

/** Interrupts the agent for an urgent message. */
function interruptFor(state: OpenState, interruptedCalls?: InterruptedCalls): TurnEffect[] {
  const agent = agentOf(state);
  return [...(agent ? interruptAgent(agent, interruptedCalls) : []), ...DECISION_TIMERS_OFF];
}

/** Stops the agent for the rest of the session. */
function stopAgent(state: OpenState): TurnEffect[] {
  const agent = agentOf(state);
  return [...(agent ? interruptAgent(agent) : []), ...ALL_TIMERS_OFF];
}

function agentOf(state: OpenState): AgentTurn | null {
  return state.kind === 'responding' || state.kind === 'interrupted' ? state.agent : null;
}

function userOf(state: OpenState): UserTurn | null {
  return state.kind === 'listening' ? null : state.user;
}
