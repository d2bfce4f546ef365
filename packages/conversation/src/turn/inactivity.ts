import type { InactivityMessageSpec } from '@calls/api-contract/call-spec';
import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import { close } from './closing.ts';
import { ALL_TIMERS_OFF, prepend, respond } from './transitions.ts';
import type { PhoneMenu } from './turn-settings.ts';
import type { InactivityMemory, TurnEffect, TurnMemory, TurnState, TurnStep } from './turn-types.ts';

/**
 * Time to respond to a written message before the call ends. Spoken messages need none, as the user can respond
 * while they play.
 */
export const TEXT_RESPONSE_MS = 10_000;

/** The agent responds to this many consecutive silences of a phone menu, then stays silent until words follow. */
export const MAX_MENU_SILENCES = 3;

export function initialInactivity(messages: readonly InactivityMessageSpec[]): InactivityMemory {
  return { messages, next: 0, phase: 'idle', isOnHold: false };
}

/** The inactivity timer fired; the next step takes place when the floor is free. */
export function inactivityElapsed(state: TurnState): TurnState {
  switch (state.memory.inactivity.phase) {
    case 'counting':
      return withPhase(state, 'due');
    case 'awaitingAnswer':
      return withPhase(state, 'hangingUp');
    default:
      return state;
  }
}

/**
 * Runs after every step. Counts silence while neither side speaks and nothing is pending, plays the next
 * message when it is due, hangs up after a message that requests it, and restarts after any other message or
 * response. Noise without words neither stops nor restarts the timer.
 */
export function stepInactivity(step: TurnStep): TurnStep {
  if (step.state.kind === 'closed') return step;
  const { state, effects } = step.effects.some(isActivity) ? restart(step) : step;
  if (state.kind !== 'listening' || state.memory.opening) return { state, effects };
  const { menu, inactivity } = state.memory;
  const delayMs = delayOf(inactivity, menu);
  switch (inactivity.phase) {
    case 'idle':
      if (delayMs === null || inactivity.isOnHold) return { state, effects };
      return {
        state: withPhase(state, 'counting'),
        effects: [...effects, { type: 'start_timer', timer: 'inactivity', delayMs }],
      };
    case 'counting':
    case 'awaitingAnswer':
      return { state, effects };
    case 'due':
      return prepend(effects, menu ? reportSilence(state, menu) : speak(state));
    case 'hangingUp':
      return close(state.memory, null, [...effects, ...ALL_TIMERS_OFF], { reason: 'agent_hangup' });
  }
}

/** How long silence lasts before the agent speaks; null if it does not speak. */
function delayOf({ messages, next }: InactivityMemory, menu: PhoneMenu | null): number | null {
  if (menu) return next < MAX_MENU_SILENCES ? menu.silenceLimitMs : null;
  return messages[next]?.delayMs ?? null;
}

/** Lets the agent decide what to do, because "Are you still there" means nothing to a menu. */
function reportSilence({ memory }: TurnState, { silenceLimitMs: silenceMs }: PhoneMenu): TurnStep {
  const { inactivity: before } = memory;
  const inactivity: InactivityMemory = { ...before, next: before.next + 1, phase: 'idle' };
  return prepend(
    [{ type: 'report_menu_silence', silenceMs }],
    respond({ ...memory, inactivity }, { kind: 'reply' }),
  );
}

function isActivity({ type }: TurnEffect): boolean {
  return type === 'add_user_message' || type === 'commit_generation';
}

function restart(step: TurnStep): TurnStep {
  const restarted = replaceMessages(step.state, step.state.memory.inactivity.messages);
  return { state: restarted.state, effects: [...step.effects, ...restarted.effects] };
}

/** Restarts with the first of these messages. */
export function replaceMessages(state: TurnState, messages: readonly InactivityMessageSpec[]): TurnStep {
  const { phase, isOnHold } = state.memory.inactivity;
  const inactivity = { ...initialInactivity(messages), isOnHold };
  const memory: TurnMemory = { ...state.memory, inactivity };
  const waits = phase === 'counting' || phase === 'awaitingAnswer';
  return {
    state: { ...state, memory },
    effects: waits ? [{ type: 'cancel_timer', timer: 'inactivity' }] : [],
  };
}

/** Silence on hold is not inactivity: counting begins when the user is back. A hang-up that was announced remains. */
export function changeHold(state: TurnState, isOnHold: boolean): TurnStep {
  const { memory } = state;
  const { phase } = memory.inactivity;
  const isSilence = phase === 'counting' || phase === 'due';
  const inactivity = { ...memory.inactivity, isOnHold, phase: isSilence ? ('idle' as const) : phase };
  return {
    state: { ...state, memory: { ...memory, inactivity } },
    effects: phase === 'counting' ? [{ type: 'cancel_timer', timer: 'inactivity' }] : [],
  };
}

function speak(state: TurnState): TurnStep {
  const { memory } = state;
  const { messages, next } = memory.inactivity;
  const message = messages[next];
  if (!message) return { state, effects: [] };
  const { text, hangUp } = message;
  const inactivity: InactivityMemory = {
    ...memory.inactivity,
    next: next + 1,
    phase: hangUp === 'unless_answered' ? 'hangingUp' : 'idle',
  };
  const options =
    hangUp === 'always' ? { interruptible: false, thenEnd: { reason: 'agent_hangup' as const } } : {};
  return respond({ ...memory, inactivity }, { kind: 'words', text }, options);
}

/** Ends the call when the floor is free, unless the user responds by then. */
export function hangUpUnlessUserResponds(memory: TurnMemory): TurnMemory {
  return { ...memory, failures: 0, inactivity: { ...memory.inactivity, phase: 'hangingUp' } };
}

/** Starts the time to respond if a text response precedes a hang-up. */
export function awaitTextResponse(
  memory: TurnMemory,
  medium: MessageMedium,
): { memory: TurnMemory; effects: TurnEffect[] } {
  const { inactivity } = memory;
  if (medium !== 'text' || inactivity.phase !== 'hangingUp') return { memory, effects: [] };
  return {
    memory: { ...memory, inactivity: { ...inactivity, phase: 'awaitingAnswer' } },
    effects: [{ type: 'start_timer', timer: 'inactivity', delayMs: TEXT_RESPONSE_MS }],
  };
}

function withPhase(state: TurnState, phase: InactivityMemory['phase']): TurnState {
  const { memory } = state;
  return { ...state, memory: { ...memory, inactivity: { ...memory.inactivity, phase } } };
}
