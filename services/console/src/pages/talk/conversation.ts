import type { Transcript } from '@calls/client';

/** A tool that the service ran itself. */
export interface UsedTool {
  readonly id: string;
  readonly name: string;
  readonly durationMs: number;
  readonly error: string | null;
  /** Of the last utterance before it; -1: none. */
  readonly afterOrdinal: number;
}

/** What a turn took, and the last agent's utterance before it; -1: none. */
export interface MeasuredTurn {
  readonly afterOrdinal: number;
  readonly tookMs: number;
}

export type ConversationItem =
  | {
      readonly type: 'utterance';
      readonly transcript: Transcript;
      /** The agent was cut short. */
      readonly isInterrupted: boolean;
      /** Of the turn that this answers. */
      readonly tookMs: number | null;
    }
  | { readonly type: 'tool'; readonly tool: UsedTool };

/** Everything that was said and done, in order. Utterances without a word yet are left out. */
export function conversationOf(parts: {
  transcripts: readonly Transcript[];
  interrupted: ReadonlySet<number>;
  turns: readonly MeasuredTurn[];
  tools: readonly UsedTool[];
}): ConversationItem[] {
  const items: ConversationItem[] = [];
  let previousAgent = -1;
  const waiting = [...parts.tools];
  const addToolsBefore = (ordinal: number): void => {
    while (waiting[0] && waiting[0].afterOrdinal < ordinal) {
      const tool = waiting.shift();
      if (tool) items.push({ type: 'tool', tool });
    }
  };
  for (const transcript of parts.transcripts) {
    addToolsBefore(transcript.ordinal);
    const isAgent = transcript.role === 'agent';
    const turn = isAgent && parts.turns.find(({ afterOrdinal }) => afterOrdinal === previousAgent);
    if (isAgent) previousAgent = transcript.ordinal;
    if (transcript.text.trim() === '') continue;
    items.push({
      type: 'utterance',
      transcript,
      isInterrupted: parts.interrupted.has(transcript.ordinal),
      tookMs: turn ? turn.tookMs : null,
    });
  }
  addToolsBefore(Number.POSITIVE_INFINITY);
  return items;
}

export function lastOrdinal(transcripts: readonly Transcript[], role?: Transcript['role']): number {
  return transcripts.findLast((one) => role === undefined || one.role === role)?.ordinal ?? -1;
}

export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
