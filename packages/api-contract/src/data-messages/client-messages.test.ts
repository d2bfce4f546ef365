import { describe, expect, it } from '@jest/globals';
import { parseClientMessage } from './client-messages.ts';

describe('parseClientMessage', () => {
  it('rejects messages that are nested too deeply', () => {
    const nested = (levels: number) =>
      `{"type":"client_tool_result","invocationId":"a","updateCallState":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    expect(parseClientMessage(nested(30)).kind).toBe('message');
    expect(parseClientMessage(nested(31)).kind).toBe('malformed');
    expect(parseClientMessage(nested(20_000))).toMatchObject({
      kind: 'malformed',
      type: 'client_tool_result',
      issues: [{ message: 'is nested too deeply' }],
    });
  });

  it('accepts null for unset fields and names in snake_case', () => {
    const given = {
      type: 'client_tool_result',
      invocation_id: 'a',
      result: null,
      errorMessage: null,
      updateCallState: { my_key: null },
    };
    expect(parseClientMessage(JSON.stringify(given))).toEqual({
      kind: 'message',
      message: { type: 'client_tool_result', invocationId: 'a', updateCallState: { my_key: null } },
    });
    expect(parseClientMessage(JSON.stringify({ ...given, invocationId: 'a' }))).toMatchObject({
      kind: 'malformed',
      issues: [{ path: 'invocationId' }],
    });
  });
});
