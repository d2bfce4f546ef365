import { describe, expect, it } from '@jest/globals';
import { readScenarios } from './read-scenarios.ts';
import { scenarioOf, type StoredCall } from './scenario-of-call.ts';
import { scenarioTextOf } from './scenario-text.ts';

const at = (start: string, end: string) => ({
  timespan: { start, end },
  medium: 'MESSAGE_MEDIUM_VOICE' as const,
});

const CALL: StoredCall = {
  callId: '0d6c3a58-8f61-4b43-9f0c-6a1f5a6a8d11',
  isPhone: true,
  endReason: 'agent_hangup',
  interruptedAtMs: [5200],
  messages: [
    { role: 'MESSAGE_ROLE_AGENT', text: 'Good evening,\nhow can I help?', ...at('0.2s', '2s') },
    { role: 'MESSAGE_ROLE_USER', text: 'Two roses.', ...at('2.5s', '3s') },
    { role: 'MESSAGE_ROLE_TOOL_CALL', toolName: 'order', invocationId: 'a', text: '{"count":2}' },
    {
      role: 'MESSAGE_ROLE_TOOL_RESULT',
      toolName: 'order',
      invocationId: 'a',
      text: '{"id":17}',
      callState: { orderId: 17 },
    },
    { role: 'MESSAGE_ROLE_AGENT', text: 'Your order of two roses is', ...at('3.8s', '5.2s') },
    { role: 'MESSAGE_ROLE_USER', text: 'No, seven.', ...at('5s', '5.8s') },
    { role: 'MESSAGE_ROLE_TOOL_CALL', toolName: 'order', invocationId: 'b', text: '{"count":7}' },
    {
      role: 'MESSAGE_ROLE_TOOL_RESULT',
      toolName: 'order',
      invocationId: 'b',
      text: 'Error',
      errorDetails: 'sold out',
    },
    { role: 'MESSAGE_ROLE_AGENT', text: 'Press one to go on.', ...at('6s', '7s') },
    { role: 'MESSAGE_ROLE_USER', text: '1#', medium: 'MESSAGE_MEDIUM_TEXT' },
    { role: 'MESSAGE_ROLE_TOOL_CALL', toolName: 'hangUp', invocationId: 'c', text: '{}' },
    { role: 'MESSAGE_ROLE_TOOL_RESULT', toolName: 'hangUp', invocationId: 'c', text: 'The call ends.' },
  ],
};

describe('scenarioTextOf', () => {
  it('creates a valid scenario from the user’s turns and the tool results', () => {
    const text = scenarioTextOf(CALL);
    expect(text).toContain('# agent: Good evening, how can I help?\n');
    const { scenarios, issues } = readScenarios('call.yaml', text);
    expect(issues).toEqual([]);
    expect(scenarios[0]?.scenario).toEqual(scenarioOf(CALL));
    expect(scenarios[0]?.scenario).toMatchObject({
      name: `call ${CALL.callId}`,
      call: { medium: 'phone' },
      caller: {
        script: [
          { say: 'Two roses.' },
          { interrupt: { after: 'of two roses is', say: 'No, seven.' } },
          { press: '1#' },
        ],
      },
      tools: {
        order: [{ result: { id: 17 }, updateCallState: { orderId: 17 } }, { error: 'sold out' }],
      },
      expect: {
        tools: [
          { name: 'order', arguments: { count: 2 } },
          { name: 'order', arguments: { count: 7 } },
          { name: 'hangUp', arguments: {} },
        ],
        toolOrder: 'listed',
        state: { orderId: 17 },
        endReason: 'agent_hangup',
      },
    });
  });

  it('omits tools when the call used none', () => {
    const { scenarios } = readScenarios(
      'call.yaml',
      scenarioTextOf({ ...CALL, messages: [], endReason: null }),
    );
    expect(scenarios[0]?.scenario).toMatchObject({ caller: { script: [] }, expect: {} });
  });
});
