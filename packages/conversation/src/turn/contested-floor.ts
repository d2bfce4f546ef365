import { ignoresPrompt } from './phone-menu.ts';
import { isNoise } from './transitions.ts';
import type { GenerationId, TurnEffect, TurnState, TurnStep } from './turn-types.ts';

/**
 * Holds the tools of a response while the user may be taking the floor from it. When the response ends, its tools need
 * no release.
 */
export function holdTools(before: TurnState, step: TurnStep): TurnStep {
  const was = contestedResponse(before);
  const is = contestedResponse(step.state);
  if (was === is) return step;
  const effects: TurnEffect[] = [...step.effects];
  if (was !== null && was === generationOf(step.state))
    effects.push({ type: 'release_tools', generation: was });
  if (is !== null) effects.push({ type: 'hold_tools', generation: is });
  return { ...step, effects };
}

function generationOf(state: TurnState): GenerationId | null {
  return state.kind === 'responding' || state.kind === 'interrupted' ? state.agent.generation : null;
}

/** The response that speech may interrupt. While echo is detected, only words count, and they decide at once. */
function contestedResponse(state: TurnState): GenerationId | null {
  if (state.kind !== 'responding' && state.kind !== 'interrupted') return null;
  const { agent, user, memory } = state;
  if (!user || isNoise(user)) return null;
  if (state.kind === 'interrupted') return agent.generation;
  const isFree = agent.interruptible && agent.guard !== 'words' && !ignoresPrompt(memory, agent);
  return isFree && user.interrupts && !user.yields ? agent.generation : null;
}
