import { describe, expect, it } from '@jest/globals';
import { parseClientMessage } from './client-messages.ts';

describe('parseClientMessage', () => {
  it('refuses what is nested too deep to be written again', () => {
    const nested = (levels: number) =>
      `{"type":"client_tool_result","invocationId":"a","updateCallState":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    expect(parseClientMessage(nested(30)).kind).toBe('message');
    expect(parseClientMessage(nested(31)).kind).toBe('malformed');
    expect(parseClientMessage(nested(20_000))).toMatchObject({
      kind: 'malformed',
      type: 'client_tool_result',
      faults: [{ message: 'is nested too deep' }],
    });
  });
});
