import { replaceMessages } from './inactivity.ts';
import { yieldToUser } from './overlap.ts';
import { discardSpeculation, prepend, stay, stopHolding } from './transitions.ts';
import type { AgentTurn, OpenState, TurnEvent, TurnMemory, TurnStep, UserTurn } from './turn-types.ts';
import { settleUser } from './user-turn.ts';

/**
 * A phone menu speaks from now on, or no longer does. The agent falls silent for a prompt that is being spoken; the end of
 * the prompt is assessed again.
 */
export function changeMenu(state: OpenState, { menu }: TurnEvent & { type: 'menu_changed' }): TurnStep {
  const memory: TurnMemory = { ...state.memory, menu, opening: menu ? null : state.memory.opening };
  const { state: restarted, effects } = replaceMessages({ ...state, memory }, memory.inactivity.messages);
  return prepend(effects, withPrompt({ ...state, memory: restarted.memory }));
}

function withPrompt(state: OpenState): TurnStep {
  const { kind, memory } = state;
  switch (kind) {
    case 'userSpeaking':
    case 'endpointing': {
      const { user, effects } = assessAgain(state.user);
      return prepend(effects, settleUser(memory, user));
    }
    case 'responding':
    case 'interrupted': {
      const { agent, user } = state;
      if (!memory.menu || !user || agent.thenEnd) return stay(state);
      const again = assessAgain({ ...user, yields: false });
      return prepend(again.effects, yieldToUser(memory, agent, again.user));
    }
    case 'listening':
    case 'muted':
      return stay(state);
  }
}

function assessAgain(user: UserTurn): Pick<TurnStep, 'effects'> & { user: UserTurn } {
  if (user.end.status === 'over') return { user, effects: [] };
  return {
    user: { ...user, end: { status: 'unknown' }, speculative: null },
    effects: [...discardSpeculation(user), ...stopHolding(user)],
  };
}

/**
 * Whether the response ignores a prompt, so that keys are pressed even if the menu has begun again. Once the agent is
 * audible, prompts interrupt it.
 */
export function ignoresPrompt({ menu }: TurnMemory, { audible }: AgentTurn): boolean {
  return menu !== null && !audible;
}

/** Removes filler phrases, which a menu would take for a choice. */
export function withoutFillers({ state, effects }: TurnStep): TurnStep {
  if (state.memory.menu === null) return { state, effects };
  return { state, effects: effects.filter(({ type }) => type !== 'fill_silence') };
}
