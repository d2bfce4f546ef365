import type { CallState, StageSpec } from '@calls/api-contract/call-spec';
import type { ToolErrorType, ToolReaction } from '@calls/api-contract/data-messages/tool-results';
import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import { MAX_ERROR_DETAILS_CHARS, plainText } from '../transcript/plain-text.ts';

/** What a tool requests besides a response. */
export type ToolAction =
  /** `transferTo`: the phone number or SIP URI to transfer the phone call to. */
  | { kind: 'hang_up'; unlessAnswered: boolean; transferTo?: string }
  /** Plays this text to its end, then hangs up. */
  | { kind: 'final_message'; text: string }
  /** The user is back from a warm transfer: the agent, which was muted, continues. */
  | { kind: 'user_returns' }
  | { kind: 'new_stage'; stage: StageSpec; keeps: { history: boolean; state: boolean } };

/** The result of a corpus query. */
export interface Retrieval {
  corpusId: string;
  query: string;
  /** Best first. */
  passages: readonly CorpusQueryResult[];
  durationMs: number;
}

/**
 * What happened to a tool call that the user interrupted by speaking again: it never started, its request was aborted, or
 * another tool undoes it.
 */
export type InterruptionOutcome = 'not_started' | 'cancelled' | 'undone';

/** Result of a tool call. */
export interface ToolOutcome {
  /** Text for the model and the history. */
  text: string;
  /** Null on success. */
  error: { type: ToolErrorType; details: string } | null;
  reaction: ToolReaction;
  action: ToolAction | null;
  /** Audio to play: mono PCM at the output rate. */
  sound: Int16Array | null;
  /** Changes to the call state; null for none. */
  updateCallState: CallState | null;
  /** Set if the tool searched a corpus. */
  retrieval: Retrieval | null;
  /** Set if the user interrupted the call. */
  interrupted: InterruptionOutcome | null;
}

const NOTHING_ELSE = {
  error: null,
  action: null,
  sound: null,
  updateCallState: null,
  retrieval: null,
  interrupted: null,
};

export function toolSucceeded(text: string, reaction: ToolReaction): ToolOutcome {
  return { ...NOTHING_ELSE, text: plainText(text), reaction };
}

/** `message` is for the model, `details` for the owner of the call. */
export function toolFailed(
  message: string,
  reaction: ToolReaction,
  { type = 'implementation-error', details = message }: { type?: ToolErrorType; details?: string } = {},
): ToolOutcome {
  const error = { type, details: plainText(details, MAX_ERROR_DETAILS_CHARS) };
  return { ...NOTHING_ELSE, text: plainText(`Error: ${message}`), reaction, error };
}
