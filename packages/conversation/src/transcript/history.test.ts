import { describe, expect, it } from '@jest/globals';
import { historyEntryOf, modelMessagesOf, NO_RESULT_YET, type HistoryEntry } from './history.ts';

const call = (id: string, name = 'look') =>
  ({ role: 'tool_call', call: { id, name, arguments: '{}' } }) as const;
const result = (callId: string, text: string) => ({ role: 'tool_result', callId, text }) as const;

describe('modelMessagesOf', () => {
  it("appends tool calls to the agent's preceding message, directly followed by their results", () => {
    const history: HistoryEntry[] = [
      { role: 'user', text: 'a' },
      { role: 'agent', text: 'Let me see.' },
      call('1'),
      call('2'),
      { role: 'user', text: 'b' },
      result('2', 'two'),
      result('unknown', 'lost'),
      call('3'),
    ];
    expect(modelMessagesOf(history)).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'Let me see.', toolCalls: [call('1').call, call('2').call] },
      { role: 'tool', toolCallId: '1', content: NO_RESULT_YET },
      { role: 'tool', toolCallId: '2', content: 'two' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: '', toolCalls: [call('3').call] },
      { role: 'tool', toolCallId: '3', content: NO_RESULT_YET },
    ]);
  });

  it('moves a tool call next to its result when the agent spoke in between', () => {
    const history: HistoryEntry[] = [
      { role: 'user', text: 'a' },
      call('1'),
      { role: 'user', text: 'b' },
      { role: 'agent', text: 'Still looking.' },
      result('1', 'one'),
    ];
    const before = modelMessagesOf(history.slice(0, -1));
    expect(before.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'a'],
      ['assistant', ''],
      ['tool', NO_RESULT_YET],
      ['user', 'b'],
      ['assistant', 'Still looking.'],
    ]);
    expect(modelMessagesOf(history)).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'Still looking.', toolCalls: [call('1').call] },
      { role: 'tool', toolCallId: '1', content: 'one' },
    ]);
  });

  it('pairs calls and results without an invocation id in order', () => {
    const history: HistoryEntry[] = [call(''), result('', 'one'), call(''), result('', 'two')];
    const messages = modelMessagesOf(history);
    expect(messages).toMatchObject([
      { toolCalls: [{ id: 'earlier_1' }, { id: 'earlier_2' }] },
      { toolCallId: 'earlier_1', content: 'one' },
      { toolCallId: 'earlier_2', content: 'two' },
    ]);
  });

  it('omits messages that are irrelevant to the model', () => {
    expect(historyEntryOf({})).toBeNull();
    expect(historyEntryOf({ role: 'user', text: '' })).toBeNull();
    expect(historyEntryOf({ role: 'tool_call', text: '{}' })).toBeNull();
  });
});
