import type { CallState, StageSpec } from '@calls/api-contract/call-spec';
import type { ToolErrorType, ToolReaction } from '@calls/api-contract/data-messages/tool-results';
import { MAX_ERROR_DETAILS_CHARS, plainText } from '../transcript/plain-text.ts';

/** What follows from an answer besides what the agent says. */
export type ToolConsequence =
  /** `transferTo`: a phone number or SIP URI that goes on with the phone call. */
  | { kind: 'hang_up'; unlessAnswered: boolean; transferTo?: string }
  /** Says this to its end, then hangs up. */
  | { kind: 'last_words'; text: string }
  | { kind: 'new_stage'; stage: StageSpec; keeps: { history: boolean; state: boolean } };

/** How a tool call ended. */
export interface ToolOutcome {
  /** What the model and the history get. */
  text: string;
  /** Null where it went well. */
  error: { type: ToolErrorType; details: string } | null;
  reaction: ToolReaction;
  consequence: ToolConsequence | null;
  /** To be heard: mono PCM at the output rate. */
  sound: Int16Array | null;
  /** Changes of the call's state; null: none. */
  updateCallState: CallState | null;
}

const NOTHING_ELSE = { error: null, consequence: null, sound: null, updateCallState: null };

export function toolSucceeded(text: string, reaction: ToolReaction): ToolOutcome {
  return { ...NOTHING_ELSE, text: plainText(text), reaction };
}

/** `told` is what the model gets to know, `details` what the owner of the call does. */
export function toolFailed(
  told: string,
  reaction: ToolReaction,
  { type = 'implementation-error', details = told }: { type?: ToolErrorType; details?: string } = {},
): ToolOutcome {
  const error = { type, details: plainText(details, MAX_ERROR_DETAILS_CHARS) };
  return { ...NOTHING_ELSE, text: plainText(`Error: ${told}`), reaction, error };
}
