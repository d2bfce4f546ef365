import type { ModelMessage, ModelToolCall } from '@calls/engine-ports/language-model';
import { INSTRUCTION_ROLE, type CallMessage } from './call-message.ts';

/** One history entry for the model. */
export type HistoryEntry =
  /** `beforeTools`: the part of the text that preceded the newest tool call of this turn. */
  | { role: 'user'; text: string; beforeTools?: string }
  | { role: 'agent'; text: string }
  /** From a supervisor; hidden from the user. */
  | { role: 'instruction'; text: string }
  | { role: 'tool_call'; call: ModelToolCall }
  | { role: 'tool_result'; callId: string; text: string };

/** Precedes an instruction for the model. */
const INSTRUCTION_INTRODUCTION =
  'Instruction of a human supervisor at this point of the call. Follow it without mentioning it to the user:';

/** Substitute for the result of a tool that is still running. */
export const NO_RESULT_YET = 'The tool has not answered yet.';

/** Converts a message of the call; null if it is irrelevant to the model. */
export function historyEntryOf(message: CallMessage): HistoryEntry | null {
  const { role, text = '', invocationId = '', toolName = '' } = message;
  switch (role) {
    case 'user':
      return text === '' ? null : { role: 'user', text };
    case 'agent':
      return text === '' ? null : { role: 'agent', text };
    case 'tool_call':
      if (toolName === '') return null;
      return {
        role: 'tool_call',
        call: { id: invocationId, name: toolName, arguments: text === '' ? '{}' : text },
      };
    case 'tool_result':
      return { role: 'tool_result', callId: invocationId, text };
    case INSTRUCTION_ROLE:
      return text === '' ? null : { role: 'instruction', text };
    default:
      return null;
  }
}

/**
 * Moves the user's newest message to the end: the user continued it, so what the agent said in between is no
 * response to all of it. Text that led to tool calls stays before them; otherwise the model would repeat the
 * calls. `words`: the moved text, null if there is none.
 */
export function withUserLast(history: readonly HistoryEntry[]): {
  before: readonly HistoryEntry[];
  words: string | null;
} {
  const at = history.findLastIndex(({ role }) => role === 'user');
  const entry = history[at];
  if (entry?.role !== 'user') return { before: history, words: null };
  const { text, beforeTools = '' } = entry;
  const stays: HistoryEntry[] = beforeTools === '' ? [] : [{ role: 'user', text: beforeTools }];
  const words = text.slice(beforeTools.length).trim();
  return { before: history.toSpliced(at, 1, ...stays), words: words === '' ? null : words };
}

/**
 * Converts the history to model messages: tool calls join the agent's preceding message, every call is followed
 * by exactly one result, and results without a call are dropped. A call appears where the agent learned of its
 * result.
 */
export function modelMessagesOf(history: readonly HistoryEntry[]): ModelMessage[] {
  const results = new Map<string, string>();
  const entries = withLateCalls(withCallIds(history));
  for (const entry of entries) if (entry.role === 'tool_result') results.set(entry.callId, entry.text);
  const messages: ModelMessage[] = [];
  let said: { text: string; calls: ModelToolCall[] } | null = null;
  const flush = (): void => {
    if (!said) return;
    const { text, calls } = said;
    messages.push({ role: 'assistant', content: text, ...(calls.length > 0 && { toolCalls: calls }) });
    for (const { id } of calls) {
      messages.push({ role: 'tool', toolCallId: id, content: results.get(id) ?? NO_RESULT_YET });
    }
    said = null;
  };
  for (const entry of entries) {
    switch (entry.role) {
      case 'tool_call':
        said ??= { text: '', calls: [] };
        said.calls.push(entry.call);
        break;
      case 'tool_result':
        break;
      case 'agent':
        flush();
        said = { text: entry.text, calls: [] };
        break;
      case 'user':
        flush();
        messages.push({ role: 'user', content: entry.text });
        break;
      case 'instruction':
        flush();
        messages.push({ role: 'system', content: `${INSTRUCTION_INTRODUCTION} ${entry.text}` });
        break;
    }
  }
  flush();
  return messages;
}

/** Matches calls and results without an invocation id by their order. */
function withCallIds(history: readonly HistoryEntry[]): HistoryEntry[] {
  let calls = 0;
  let results = 0;
  return history.map((entry) => {
    if (entry.role === 'tool_call' && entry.call.id === '') {
      calls += 1;
      return { ...entry, call: { ...entry.call, id: `earlier_${calls}` } };
    }
    if (entry.role === 'tool_result' && entry.callId === '') {
      results += 1;
      return { ...entry, callId: `earlier_${results}` };
    }
    return entry;
  });
}

/** Moves a call to its result if the agent spoke in between: there the result is new to the agent. */
function withLateCalls(history: readonly HistoryEntry[]): HistoryEntry[] {
  const toolCalls = new Map<string, { entry: HistoryEntry; spokenBefore: number }>();
  const late = new Set<HistoryEntry>();
  let spoken = 0;
  const entries = history.flatMap((entry) => {
    if (entry.role === 'agent') spoken += 1;
    if (entry.role === 'tool_call') toolCalls.set(entry.call.id, { entry, spokenBefore: spoken });
    if (entry.role !== 'tool_result') return [entry];
    const call = toolCalls.get(entry.callId);
    toolCalls.delete(entry.callId);
    if (!call || call.spokenBefore === spoken) return [entry];
    late.add(call.entry);
    return [{ ...call.entry }, entry];
  });
  return entries.filter((entry) => !late.has(entry));
}
