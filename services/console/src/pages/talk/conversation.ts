import type { Transcript } from '@calls/client';

/** A tool that the service ran. */
export interface UsedTool {
  readonly id: string;
  readonly name: string;
  readonly durationMs: number;
  readonly error: string | null;
  /** Ordinal of the last utterance before the tool call; -1 if none. */
  readonly afterOrdinal: number;
}

/** Latency of a turn, and the last utterance of the agent before it; -1 if none. */
export interface MeasuredTurn {
  readonly afterOrdinal: number;
  readonly tookMs: number;
}

/** Dismissed or late speech, or a problem of the call. */
export interface CallNote {
  readonly id: number;
  readonly severity: string;
  readonly text: string;
  /** Ordinal of the last utterance before the note; -1 if none. */
  readonly afterOrdinal: number;
}

export type ConversationItem =
  | {
      readonly type: 'utterance';
      readonly transcript: Transcript;
      /** Whether the agent was interrupted. */
      readonly isInterrupted: boolean;
      /** Latency of the turn that this responds to. */
      readonly tookMs: number | null;
    }
  | { readonly type: 'tool'; readonly tool: UsedTool }
  | { readonly type: 'note'; readonly note: CallNote };

/** All utterances, tool calls and notes, in order. Utterances without text yet are omitted. */
export function conversationOf(parts: {
  transcripts: readonly Transcript[];
  interrupted: ReadonlySet<number>;
  turns: readonly MeasuredTurn[];
  tools: readonly UsedTool[];
  notes: readonly CallNote[];
}): ConversationItem[] {
  const items: ConversationItem[] = [];
  let previousAgent = -1;
  const addBetween = (previous: number, next: number): void => {
    const isBetween = (one: { afterOrdinal: number }): boolean =>
      one.afterOrdinal >= previous && one.afterOrdinal < next;
    for (const tool of parts.tools.filter(isBetween)) items.push({ type: 'tool', tool });
    for (const note of parts.notes.filter(isBetween)) items.push({ type: 'note', note });
  };
  let previous = Number.NEGATIVE_INFINITY;
  for (const transcript of parts.transcripts) {
    addBetween(previous, transcript.ordinal);
    previous = transcript.ordinal;
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
  addBetween(previous, Number.POSITIVE_INFINITY);
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
