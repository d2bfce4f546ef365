import { addPending } from './pending-messages.ts';
import {
  announce,
  BACKCHANNEL_RESPONSE_MS,
  closeUtterance,
  DECISION_TIMERS_OFF,
  interruptAgent,
  discardSpeculation,
  dismissBackchannel,
  prepend,
  RESUME_AFTER_MS,
  stopHolding,
  transcriptOf,
} from './transitions.ts';
import type { InterruptedCalls } from '../tools/tool-interruption.ts';
import type {
  AgentTurn,
  Dismissal,
  AgentActivity,
  TranscriptKind,
  TurnEffect,
  TurnMemory,
  TurnState,
  TurnStep,
  UserTurn,
} from './turn-types.ts';
import { settleUser } from './user-turn.ts';

/** What the agent is doing when speech begins now. */
export function agentActivityOf({ audible, guard }: AgentTurn): AgentActivity {
  if (!audible) return 'silence';
  return guard === 'start' ? 'agentStarting' : 'agent';
}

/** Whether a transcript of this kind makes speech over the agent a user turn. */
export function takesFloor(meaning: TranscriptKind, agent: AgentTurn): boolean {
  return meaning === 'words' || (meaning === 'backchannel' && !agent.audible);
}

export interface Overlap {
  memory: TurnMemory;
  agent: AgentTurn;
  user: UserTurn;
}

/** The agent continues at lower volume while speech may be an interruption. */
export function duckAgent({ memory, agent, user }: Overlap): TurnStep {
  const announced = announce(memory, 'speaking');
  return {
    state: { kind: 'interrupted', memory: announced.memory, agent, user, playout: 'ducked' },
    effects: [{ type: 'duck_playout', generation: agent.generation }, ...announced.effects],
  };
}

/** Whether the agent is ducked before it pauses. */
export function canDuck({ menu, settings }: TurnMemory, { audible }: AgentTurn): boolean {
  return audible && settings.duckMs > 0 && menu === null;
}

const MAX_DOUBLINGS = 4;

/** Ducks the agent during noise. The noise is transcribed again later, because the user may begin to speak. */
export function duckForNoise(overlap: Overlap): TurnStep {
  return prepend([nextTranscriptTimer(overlap.user)], duckAgent(overlap));
}

/** Speech-to-text may be billed for the whole utterance each time, so the time between transcripts doubles. */
export function nextTranscriptTimer({ revision }: UserTurn): TurnEffect {
  const delayMs = RESUME_AFTER_MS * 2 ** Math.min(revision, MAX_DOUBLINGS);
  return { type: 'start_timer', timer: 'resume', delayMs };
}

/** Speech that is undecided for this long pauses the agent, unless it is soft. */
export function duckTimer({ settings }: TurnMemory, { isSoft }: UserTurn): TurnEffect[] {
  return isSoft ? [] : [{ type: 'start_timer', timer: 'duck', delayMs: settings.duckMs }];
}

/** The agent is silent while speech may be an interruption. */
export function pauseAgent({ memory, agent, user }: Overlap): TurnStep {
  const announced = announce(memory, 'listening');
  return {
    state: { kind: 'interrupted', memory: announced.memory, agent, user, playout: 'paused' },
    effects: [
      { type: 'cancel_timer', timer: 'duck' },
      { type: 'pause_playout', generation: agent.generation },
      ...announced.effects,
      ...(user.speaking ? [RESUME_TIMER] : []),
    ],
  };
}

/** If it fires during speech, the speech so far is transcribed. If it fires after speech, the agent resumes. */
export const RESUME_TIMER: TurnEffect = { type: 'start_timer', timer: 'resume', delayMs: RESUME_AFTER_MS };

/** Interrupts the agent: the speech is a user turn. */
export function yieldToUser(memory: TurnMemory, agent: AgentTurn, user: UserTurn): TurnStep {
  const { recognition } = user;
  const taken: UserTurn = {
    ...user,
    // The interruption is decided, so echo and backchannel no longer apply.
    over: 'silence',
    recognition: recognition.status === 'known' ? { ...recognition, meaning: 'words' } : recognition,
  };
  return prepend(
    [...DECISION_TIMERS_OFF, ...interruptAgent(agent, callsInterruptedBy(memory, user))],
    settleUser(memory, taken),
  );
}

/** A phone menu that keeps speaking interrupts no tool calls. */
function callsInterruptedBy({ menu }: TurnMemory, { continues }: UserTurn): InterruptedCalls | undefined {
  if (menu) return undefined;
  return continues ? 'turn' : 'running';
}

/**
 * Suspends the user's turn because the agent must speak at once. A known transcript becomes a message; an open
 * utterance continues.
 */
export function suspendUserTurn(user: UserTurn | null): { user: UserTurn | null; effects: TurnEffect[] } {
  if (!user) return { user, effects: [] };
  const { utterance, recognition, speaking } = user;
  if (recognition.status === 'known' && recognition.meaning === 'words') {
    const { text } = recognition;
    const said = {
      type: 'add_user_message' as const,
      text,
      medium: 'voice' as const,
      utterances: [utterance],
    };
    return { user: null, effects: [...closeUtterance(user), said] };
  }
  return {
    user: {
      ...user,
      yields: !speaking,
      needsResponse: user.needsResponse || (!speaking && user.isTurn && user.over === 'silence'),
      continues: false,
      speculative: null,
      end: { status: 'unknown' },
    },
    effects: [...discardSpeculation(user), ...stopHolding(user)],
  };
}

/** Dismisses speech over the agent, who continues. */
export function dismiss(
  agent: AgentTurn,
  user: UserTurn,
  reason: Dismissal,
): { agent: AgentTurn; effects: TurnEffect[] } {
  const { utterance, recognition } = user;
  if (reason === 'backchannel' && recognition.status === 'known') {
    return {
      agent: { ...agent, aside: { utterance, text: recognition.text } },
      effects: [
        ...closeUtterance(user),
        ...dismissBackchannel(agent),
        { type: 'start_timer', timer: 'aside', delayMs: BACKCHANNEL_RESPONSE_MS },
      ],
    };
  }
  const effects: TurnEffect[] = [
    ...closeUtterance(user),
    { type: 'dismiss_speech', utterance, reason, text: transcriptOf(user) },
  ];
  if (reason !== 'echo') return { agent, effects };
  if (agent.guard === 'start') effects.push({ type: 'cancel_timer', timer: 'echo_guard' });
  return { agent: { ...agent, guard: 'words' }, effects };
}

/** A backchannel over the last words of a response is the reply to it. */
export function addBackchannelToPending(memory: TurnMemory, { aside }: AgentTurn): TurnMemory {
  if (!aside) return memory;
  const { text, utterance } = aside;
  return addPending(memory, { text, medium: 'voice', utterances: [utterance], wantsReply: true });
}

/** Dismisses a backchannel because the agent continued to speak. */
export function discardBackchannel(state: TurnState & { kind: 'responding' | 'interrupted' }): TurnStep {
  return {
    state: { ...state, agent: { ...state.agent, aside: null } },
    effects: dismissBackchannel(state.agent),
  };
}
