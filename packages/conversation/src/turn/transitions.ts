import type { AgentState } from '@calls/api-contract/data-messages/server-messages';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { InterruptedCalls } from '../tools/tool-interruption.ts';
import { flushPending } from './pending-messages.ts';
import { TURN_TIMERS } from './turn-timer.ts';
import type {
  AgentTurn,
  Assumption,
  CallEnd,
  Cue,
  Dismissal,
  ForcedMessage,
  GenerationId,
  AgentActivity,
  TurnEffect,
  TurnMemory,
  TurnState,
  TurnStep,
  UserTurn,
} from './turn-types.ts';

/** Speech over the agent without words for this long is a false interruption. */
export const RESUME_AFTER_MS = 2000;
/** Time from the end of the user's turn to the filler phrase. */
export const FILLER_DELAY_MS = 2000;
/**
 * Echo guard from the first audio of a response. Echo cancellers need some hundred milliseconds to adapt, and
 * echo returns one round trip later. Too little of the response is played by then for the user to object in one word.
 */
export const ECHO_GUARD_MS = 600;
/**
 * Speech within 1.5 s after the response started continues the previous turn; plus two windows of detection
 * time.
 */
export const CONTINUATION_MS = 1564;
/** A backchannel is the reply to a response that ends within this time after it. */
export const BACKCHANNEL_RESPONSE_MS = 2000;

/** Cancels the timers that decide whether speech over the agent takes the floor. */
export const DECISION_TIMERS_OFF: readonly TurnEffect[] = [
  { type: 'cancel_timer', timer: 'duck' },
  { type: 'cancel_timer', timer: 'resume' },
];

/** Cancels all timers at the end of a call. */
export const ALL_TIMERS_OFF: readonly TurnEffect[] = TURN_TIMERS.map((timer) => ({
  type: 'cancel_timer',
  timer,
}));

export function callEnd(reason: EndReason, { transferTo }: { transferTo?: string | undefined }): CallEnd {
  return { reason, ...(transferTo !== undefined && { transferTo }) };
}

/** Whether the model gets the audio of this utterance. Prompts of menus are longer than the audio buffer. */
export function sendsUserAudio({ settings, menu }: TurnMemory, { hasSound }: UserTurn): boolean {
  return settings.acceptsAudio && hasSound && menu === null;
}

export function stay(state: TurnState): TurnStep {
  return { state, effects: [] };
}

/** Announces a state change to clients. */
export function announce(
  memory: TurnMemory,
  state: AgentState,
): { memory: TurnMemory; effects: TurnEffect[] } {
  if (memory.announced === state) return { memory, effects: [] };
  return { memory: { ...memory, announced: state }, effects: [{ type: 'announce', state }] };
}

export function newUserTurn(
  memory: TurnMemory,
  over: AgentActivity,
): {
  memory: TurnMemory;
  user: UserTurn;
  effects: TurnEffect[];
} {
  const utterance = memory.nextUtterance;
  return {
    memory: { ...memory, nextUtterance: utterance + 1, isNoisy: false },
    user: {
      utterance,
      speaking: true,
      over,
      hasSound: memory.settings.acceptsAudio,
      isTurn: false,
      interrupts: false,
      isSoft: false,
      ended: false,
      recognition: memory.isNoisy
        ? { status: 'known', revision: 0, text: '', meaning: 'nothing' }
        : { status: 'none' },
      words: null,
      yields: false,
      needsResponse: false,
      continues: memory.unfinished !== null,
      revision: 0,
      end: { status: 'unknown' },
      speculative: null,
      check: { number: 0, revision: null, letters: null },
    },
    effects: [{ type: 'open_utterance', utterance }],
  };
}

/** Starts a response; `user` is speech that continues meanwhile. An uninterruptible opening takes the place of a reply. */
export function respond(
  memory: TurnMemory,
  cue: Cue,
  options: { interruptible?: boolean; thenEnd?: CallEnd; user?: UserTurn | null; apology?: boolean } = {},
): TurnStep {
  const generation = memory.nextGeneration;
  const isReply = cue.kind === 'reply' || cue.kind === 'phrase';
  const opening = isReply && memory.opening?.interruptible === false ? memory.opening : null;
  return startResponding(
    { ...memory, nextGeneration: generation + 1, unfinished: null },
    {
      ...newAgentTurn(generation),
      interruptible: opening === null && (options.interruptible ?? true),
      apology: options.apology ?? false,
      thenEnd: options.thenEnd ?? null,
    },
    [
      ...stopContinuation(memory),
      { type: 'start_generation', generation, cue: opening?.cue ?? cue, assuming: null },
      { type: 'commit_generation', generation },
      { type: 'start_timer', timer: 'reply_overdue', delayMs: FILLER_DELAY_MS },
    ],
    options.user ?? null,
  );
}

function startResponding(
  memory: TurnMemory,
  agent: AgentTurn,
  effects: TurnEffect[],
  user: UserTurn | null,
): TurnStep {
  const announced = announce({ ...memory, opening: null }, 'thinking');
  return {
    state: { kind: 'responding', memory: announced.memory, agent, user },
    effects: [...effects, ...announced.effects],
  };
}

/** Speaks the message, or first an uninterruptible opening that waits. */
export function speakForced(
  memory: TurnMemory,
  message: ForcedMessage,
  user: UserTurn | null = null,
): TurnStep {
  const { opening, forced } = memory;
  if (opening?.interruptible === false)
    return respond({ ...memory, forced: [message, ...forced] }, opening.cue, { interruptible: false, user });
  const { interruptible, ...words } = message;
  return respond(memory, { kind: 'words', ...words }, { interruptible, user });
}

/** What follows when the floor is free: pending messages, a forced message, a due opening, or listening. */
export function releaseFloor(memory: TurnMemory): TurnStep {
  const { effects, wantsReply, memory: flushed } = flushPending(memory);
  if (wantsReply) return prepend(effects, respond(flushed, { kind: 'reply' }));
  const [words, ...forced] = flushed.forced;
  if (words) return prepend(effects, speakForced({ ...flushed, forced }, words));
  if (flushed.opening?.due) {
    const { cue, interruptible } = flushed.opening;
    return prepend(effects, respond(flushed, cue, { interruptible }));
  }
  const announced = announce(flushed, 'listening');
  return {
    state: { kind: 'listening', memory: announced.memory },
    effects: [...effects, { type: 'cancel_timer', timer: 'reply_overdue' }, ...announced.effects],
  };
}

/** Commits the user's turn: adds it to the history and starts or commits the response. */
export function commitUserTurn(memory: TurnMemory, user: UserTurn, text: string): TurnStep {
  const { memory: flushed, effects: pending } = flushPending(memory);
  const { utterance, speculative } = user;
  // Messages in between separate the two parts of the turn.
  const continues = user.continues && memory.pending.length === 0;
  const answered: TurnMemory = { ...flushed, unfinished: { begun: false } };
  const said: TurnEffect[] = [
    {
      type: 'add_user_message',
      text,
      medium: 'voice',
      utterances: [utterance],
      ...(continues && { continues }),
    },
    { type: 'close_utterance', utterance },
    ...stopContinuation(memory),
  ];
  if (memory.opening?.interruptible === false)
    return prepend([...discardSpeculation(user), ...pending, ...said], respond(flushed, responseCue(false)));
  // A speculative generation does not know messages in between.
  if (speculative !== null && memory.pending.length === 0) {
    const effects: TurnEffect[] = [
      ...said,
      { type: 'commit_generation', generation: speculative.generation },
    ];
    return startResponding(answered, newAgentTurn(speculative.generation), effects, null);
  }
  const generation = flushed.nextGeneration;
  const start = (assuming: Assumption | null): TurnEffect => ({
    type: 'start_generation',
    generation,
    cue: responseCue(continues),
    assuming,
  });
  // The audio of an utterance is available until it is closed.
  const answer = sendsUserAudio(flushed, user)
    ? [start({ kind: 'sound', utterance }), ...said]
    : [...said, start(null)];
  return startResponding(
    { ...answered, nextGeneration: generation + 1 },
    newAgentTurn(generation),
    [...discardSpeculation(user), ...pending, ...answer, { type: 'commit_generation', generation }],
    null,
  );
}

export function responseCue(continues: boolean): Cue {
  return { kind: 'reply', ...(continues && { continues }) };
}

/** Closes the utterance and discards its speculative generation. */
export function closeUtterance(user: UserTurn): TurnEffect[] {
  return [
    ...discardSpeculation(user),
    ...stopHolding(user),
    { type: 'close_utterance', utterance: user.utterance },
  ];
}

/** Dismisses the utterance; reports it unless it was a short sound without words. */
export function dismissUtterance(user: UserTurn, reason: Dismissal): TurnEffect[] {
  const { utterance } = user;
  const text = transcriptOf(user);
  const shown: TurnEffect[] =
    text === '' && reason === 'too_short' ? [] : [{ type: 'dismiss_speech', utterance, reason, text }];
  return [...closeUtterance(user), ...shown];
}

/** The transcript known so far. */
export function transcriptOf({ recognition, words }: UserTurn): string {
  return recognition.status === 'known' ? recognition.text : (words?.text ?? '');
}

export function stopHolding({ end }: UserTurn): TurnEffect[] {
  return end.status === 'held' ? [{ type: 'cancel_timer', timer: 'hold' }] : [];
}

/** Whether speech that continues has had no words so far. It may continue for minutes. */
export function isNoise({ speaking, recognition }: UserTurn): boolean {
  return speaking && recognition.status === 'known' && recognition.meaning === 'nothing';
}

/** Stops the agent's response. */
export function interruptAgent(agent: AgentTurn, interruptedCalls?: InterruptedCalls): TurnEffect[] {
  return [
    {
      type: 'interrupt_generation',
      generation: agent.generation,
      ...(interruptedCalls && { interruptedCalls }),
    },
    ...cancelAgentTimers(agent),
    ...dismissBackchannel(agent),
  ];
}

/** Reports a backchannel as dismissed. */
export function dismissBackchannel({ aside }: AgentTurn): TurnEffect[] {
  return aside ? [{ type: 'dismiss_speech', reason: 'backchannel', ...aside }] : [];
}

/** Cancels the timers of an agent that loses the floor. */
export function cancelAgentTimers({ guard, aside }: AgentTurn): TurnEffect[] {
  return [
    ...(guard === 'start' ? [{ type: 'cancel_timer' as const, timer: 'echo_guard' as const }] : []),
    ...(aside === null ? [] : [{ type: 'cancel_timer' as const, timer: 'aside' as const }]),
  ];
}

/** Cancels the continuation window: later speech is a new turn. */
export function stopContinuation({ unfinished }: TurnMemory): TurnEffect[] {
  return unfinished?.begun ? [{ type: 'cancel_timer', timer: 'continuation' }] : [];
}

export function discardSpeculation({ speculative }: UserTurn): TurnEffect[] {
  return speculative ? [{ type: 'discard_generation', generation: speculative.generation }] : [];
}

export function prepend(effects: readonly TurnEffect[], step: TurnStep): TurnStep {
  return effects.length === 0 ? step : { state: step.state, effects: [...effects, ...step.effects] };
}

function newAgentTurn(generation: GenerationId): AgentTurn {
  return {
    generation,
    audible: false,
    interruptible: true,
    guard: 'none',
    aside: null,
    apology: false,
    isAnswered: false,
    tools: 'idle',
    thenEnd: null,
  };
}
