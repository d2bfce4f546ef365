import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { ModelToolCall } from '@calls/engine-ports/language-model';
import { parseObject } from './parse-object.ts';
import { toolSucceeded, type InterruptionOutcome, type ToolOutcome } from './tool-outcome.ts';

/**
 * Which tool calls are interrupted together with their response. `running`: those that run; `turn`: all, because the user
 * continues the turn to which the agent responds.
 */
export type InterruptedCalls = 'running' | 'turn';

/** What happens to a running call of a tool when the user interrupts it. */
export interface Interruption {
  /** Whether its request is aborted. */
  cancels: boolean;
  /** Undoes it once it has returned. */
  undo: CallToolSpec | null;
}

const AGAIN = 'Call the tool again if what the user wants now requires it.';

const RESULTS: Readonly<Record<InterruptionOutcome, string>> = {
  not_started: `Not run, because the user went on speaking. ${AGAIN}`,
  cancelled: `Cancelled before it was done, because the user went on speaking. ${AGAIN}`,
  undone: `It will be undone when it finishes, because the user went on speaking. ${AGAIN}`,
};

/** The result of the call for the model and the history. */
export function interruptedOutcome(interrupted: InterruptionOutcome): ToolOutcome {
  return { ...toolSucceeded(RESULTS[interrupted], 'listens'), interrupted };
}

/**
 * What happens to calls of the tool when the user interrupts them; null if they continue. `tools`: the tools of the stage.
 */
export function interruptionOf(
  { onInterruption, undoTool }: CallToolSpec['definition'],
  tools: readonly CallToolSpec[],
): Interruption | null {
  if (onInterruption !== 'INTERRUPTION_CANCEL' && onInterruption !== 'INTERRUPTION_UNDO') return null;
  const undo = tools.find(({ name }) => name === undoTool) ?? null;
  return { cancels: onInterruption === 'INTERRUPTION_CANCEL', undo };
}

/**
 * Arguments of the tool that undoes a call: the fields of the result, the arguments of the call, `invocationId` and
 * `result` (the whole text), as far as it has parameters of these names.
 */
export function undoArguments(
  { definition }: CallToolSpec,
  call: ModelToolCall,
  { text }: ToolOutcome,
): Record<string, unknown> {
  const known = {
    invocationId: call.id,
    result: text,
    ...parseObject(call.arguments),
    ...parseObject(text),
  };
  const names = new Set((definition.dynamicParameters ?? []).map(({ name }) => name));
  return Object.fromEntries(Object.entries(known).filter(([name]) => names.has(name)));
}
