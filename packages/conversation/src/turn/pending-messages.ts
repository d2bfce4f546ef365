import type { ForcedMessage, PendingMessage, TurnEffect, TurnMemory } from './turn-types.ts';

const MAX_PENDING_MESSAGES = 100;

/** Adds pending messages to the history. */
export function flushPending(memory: TurnMemory): {
  memory: TurnMemory;
  effects: TurnEffect[];
  wantsReply: boolean;
} {
  return {
    memory: memory.pending.length === 0 ? memory : { ...memory, pending: [] },
    effects: memory.pending.flatMap(({ text, medium, utterances }) =>
      text === null ? [] : [{ type: 'add_user_message' as const, text, medium, utterances }],
    ),
    wantsReply: memory.pending.some((message) => message.wantsReply),
  };
}

export function addForced(memory: TurnMemory, words: ForcedMessage): TurnMemory {
  return { ...memory, forced: [...memory.forced, words].slice(-MAX_PENDING_MESSAGES) };
}

/** Requests a response to what is already in the history. */
export function addPendingResponse(memory: TurnMemory): TurnMemory {
  return addPending(memory, { text: null, medium: 'text', utterances: [], wantsReply: true });
}

export function addPending(memory: TurnMemory, message: PendingMessage): TurnMemory {
  const pending = [...memory.pending, message];
  const texts = pending.filter(({ utterances }) => utterances.length === 0);
  const oldest = texts.length > MAX_PENDING_MESSAGES ? texts[0] : null;
  return { ...memory, pending: oldest ? pending.filter((each) => each !== oldest) : pending };
}
