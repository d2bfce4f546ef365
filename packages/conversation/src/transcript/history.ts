import type { Message } from '@calls/api-contract/rest/message';
import type { ModelMessage, ModelToolCall } from '../ports/language-model.ts';

/** One entry of a conversation, as the model is told of it. */
export type HistoryEntry =
  /** `beforeTools`: the beginning of the text that the user had said when the newest tool of this turn was called. */
  | { role: 'user'; text: string; beforeTools?: string }
  | { role: 'agent'; text: string }
  | { role: 'tool_call'; call: ModelToolCall }
  | { role: 'tool_result'; callId: string; text: string };

/** What the model is told of a tool that has not answered yet. */
export const NO_RESULT_YET = 'The tool has not answered yet.';

/** What a stored message is to the model; null for those without meaning to it. */
export function historyEntryOf(message: Message): HistoryEntry | null {
  const { role, text = '', invocationId = '', toolName = '' } = message;
  switch (role) {
    case 'MESSAGE_ROLE_USER':
      return text === '' ? null : { role: 'user', text };
    case 'MESSAGE_ROLE_AGENT':
      return text === '' ? null : { role: 'agent', text };
    case 'MESSAGE_ROLE_TOOL_CALL':
      if (toolName === '') return null;
      return {
        role: 'tool_call',
        call: { id: invocationId, name: toolName, arguments: text === '' ? '{}' : text },
      };
    case 'MESSAGE_ROLE_TOOL_RESULT':
      return { role: 'tool_result', callId: invocationId, text };
    default:
      return null;
  }
}

/**
 * A history whose newest words of the user come last: they went on with them, and what the agent said in between is no
 * response to all of it. What tools were called for stays ahead of the calls, or the model would call them again.
 * `words`: those that come last, null if there are none.
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
 * A history in the form of models: calls join what the agent said before them, every call is followed by exactly one
 * result, and a result without a call is left out. A call is where the agent knew of its result.
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
    }
  }
  flush();
  return messages;
}

/** Calls and results of earlier conversations that name no invocation belong together in their order. */
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

/** Calls after which the agent spoke before they were answered go where the answer came: there it is new to the agent. */
function withLateCalls(history: readonly HistoryEntry[]): HistoryEntry[] {
  const asked = new Map<string, { entry: HistoryEntry; spokenBefore: number }>();
  const late = new Set<HistoryEntry>();
  let spoken = 0;
  const entries = history.flatMap((entry) => {
    if (entry.role === 'agent') spoken += 1;
    if (entry.role === 'tool_call') asked.set(entry.call.id, { entry, spokenBefore: spoken });
    if (entry.role !== 'tool_result') return [entry];
    const call = asked.get(entry.callId);
    asked.delete(entry.callId);
    if (!call || call.spokenBefore === spoken) return [entry];
    late.add(call.entry);
    return [{ ...call.entry }, entry];
  });
  return entries.filter((entry) => !late.has(entry));
}
