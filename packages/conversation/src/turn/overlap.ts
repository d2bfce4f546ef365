import { addPending, ASIDE_MS, cutAgent, dropUser, prepend, stay } from './transitions.ts';
import type {
  AgentTurn,
  Dismissal,
  HeardOver,
  Meaning,
  TurnEffect,
  TurnMemory,
  TurnState,
  TurnStep,
  UserTurn,
} from './turn-types.ts';
import { settleUser } from './user-turn.ts';

/** What speech that begins now is heard over. */
export function heardOver({ audible, guard }: AgentTurn): HeardOver {
  if (!audible) return 'silence';
  return guard === 'start' ? 'agentStarting' : 'agent';
}

/** Whether such words make speech over this agent the user's turn. */
export function takesFloor(meaning: Meaning, agent: AgentTurn): boolean {
  return meaning === 'words' || (meaning === 'backchannel' && !agent.audible);
}

/** The interruption is real. */
export function yieldTo(memory: TurnMemory, agent: AgentTurn, user: UserTurn): TurnStep {
  return prepend([{ type: 'cancel_timer', timer: 'resume' }, ...cutAgent(agent)], settleUser(memory, user));
}

/** Speech over the agent was no turn: what that changes for the agent, who goes on. */
export function dismiss(
  agent: AgentTurn,
  user: UserTurn,
  why: Dismissal,
): { agent: AgentTurn; effects: TurnEffect[] } {
  const { utterance, recognition } = user;
  const effects: TurnEffect[] = [...dropUser(user), { type: 'dismiss_speech', utterance, why }];
  if (why === 'echo') {
    if (agent.guard === 'start') effects.push({ type: 'cancel_timer', timer: 'echo_guard' });
    return { agent: { ...agent, guard: 'words' }, effects };
  }
  if (why === 'backchannel' && recognition.status === 'known') {
    effects.push({ type: 'start_timer', timer: 'aside', delayMs: ASIDE_MS });
    return { agent: { ...agent, aside: recognition.text }, effects };
  }
  return { agent, effects };
}

/** A backchannel over the last of what the agent said is the answer to it. */
export function keepAside(memory: TurnMemory, { aside }: AgentTurn): TurnMemory {
  return aside === null ? memory : addPending(memory, { text: aside, medium: 'voice', wantsReply: true });
}

/** The agent goes on for longer than an answer would wait. */
export function forgetAside(state: TurnState & { kind: 'responding' | 'interrupted' }): TurnStep {
  return stay({ ...state, agent: { ...state.agent, aside: null } });
}
