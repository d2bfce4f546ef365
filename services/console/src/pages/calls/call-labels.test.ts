import { describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../api/client.ts';
import { callDurationMs, callTitle, durationMsOrNull, mediumText, stateOf } from './call-labels.ts';

const call = (given: Partial<Schemas['CallSummary']>): Schemas['CallSummary'] =>
  ({ systemPrompt: null, joined: null, ended: null, medium: {}, ...given }) as Schemas['CallSummary'];

describe('call summary', () => {
  it.each([
    [{ agent: { agentId: 'a', name: 'Ada' }, systemPrompt: 'You are Bo.' }, 'Ada'],
    [{ agent: { agentId: 'a', name: '' } }, 'Unnamed agent'],
    [{ systemPrompt: '\n You are Bo.\nBe kind.' }, 'You are Bo.'],
    [{ systemPrompt: 'word '.repeat(20) }, `${'word '.repeat(12).trimEnd()}…`],
    [{}, 'Call without a prompt'],
  ])('has the agent as its title, otherwise the prompt: %j', (given, title) => {
    expect(callTitle(call(given))).toBe(title);
  });

  it('is waiting, live or ended', () => {
    expect(stateOf(call({}))).toBe('waiting');
    expect(stateOf(call({ joined: '2026-11-21T10:00:00Z' }))).toBe('live');
    expect(stateOf(call({ ended: '2026-11-21T10:00:00Z' }))).toBe('ended');
  });

  it('measures the duration from join to end', () => {
    const joined = '2026-11-21T10:00:00Z';
    expect(callDurationMs(call({ joined, ended: '2026-11-21T10:00:02.500Z' }))).toBe(2500);
    expect(callDurationMs(call({ joined }))).toBeNull();
    expect(callDurationMs(call({ ended: joined }))).toBeNull();
  });

  it('has the medium WebRTC by default', () => {
    expect(mediumText(call({}))).toBe('WebRTC');
    expect(mediumText(call({ medium: { serverWebSocket: { inputSampleRate: 8000 } } }))).toBe('WebSocket');
    const outgoing = { to: '+4930123450', from: '+4930123451' };
    expect(mediumText(call({ medium: { telephony1: { outgoing } } }))).toBe('Twilio, outgoing');
    expect(mediumText(call({ medium: { telephony4: {} } }))).toBe('Exotel, incoming');
    expect(mediumText(call({ medium: { sip: { outgoing } } }))).toBe('SIP, outgoing');
    expect(mediumText(call({ medium: { sip: { incoming: {} } } }))).toBe('SIP, incoming');
  });

  it('has a duration in milliseconds, or null', () => {
    expect(durationMsOrNull('1.5s')).toBe(1500);
    expect(durationMsOrNull(undefined)).toBeNull();
  });
});
