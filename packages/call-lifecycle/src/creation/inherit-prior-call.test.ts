import { describe, expect, it } from '@jest/globals';
import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { Message } from '@calls/api-contract/rest/message';
import { inheritPriorCall } from './inherit-prior-call.ts';
import { resolveSettings } from './resolve-settings.ts';

const base: StartCallRequest = {
  systemPrompt: 'Be kind.',
  voice: 'provided',
  voiceOverrides: { provider1: { speed: 1.1 } },
  temperature: 0.3,
  retentionPolicy: 'CALL_RETENTION_POLICY_ZDR',
  selectedTools: [{ temporaryTool: { modelToolName: 'look', client: {} } }],
  medium: { serverWebSocket: { inputSampleRate: 8000 } },
};
const said: Message[] = [
  { role: 'MESSAGE_ROLE_AGENT', text: 'Hello', timespan: { start: '0s', end: '1s' }, callStageId: 'x' },
  { role: 'MESSAGE_ROLE_USER', text: 'Hi', callStageMessageIndex: 1, metadata: { k: 1 } },
];

function inherit(request: StartCallRequest, prior: StartCallRequest = base): StartCallRequest {
  return inheritPriorCall(request, resolveSettings(prior), said);
}

describe('inheritPriorCall', () => {
  it('inherits the message history and the settings that the request does not set', () => {
    const request = inherit({ temperature: 0 });
    expect(request).toMatchObject({ ...base, temperature: 0, retentionPolicy: 'zdr' });
    expect(request.initialMessages).toEqual([
      { role: 'MESSAGE_ROLE_AGENT', text: 'Hello' },
      { role: 'MESSAGE_ROLE_USER', text: 'Hi', metadata: { k: 1 } },
    ]);
  });

  it('omits tool results without a tool call, and empty messages', () => {
    const result = { role: 'MESSAGE_ROLE_TOOL_RESULT', invocationId: 'cut off', text: 'sunny' } as const;
    const silent = { role: 'MESSAGE_ROLE_AGENT', text: '' } as const;
    const { initialMessages } = inheritPriorCall({}, resolveSettings(base), [result, silent, { text: 'Hi' }]);
    expect(initialMessages).toEqual([{ text: 'Hi' }]);
  });

  it('omits the instructions of a supervisor', () => {
    const whisper = { role: 'MESSAGE_ROLE_UNSPECIFIED', text: 'Offer breakfast.' } as const;
    const { initialMessages } = inheritPriorCall({}, resolveSettings(base), [{ text: 'Hi' }, whisper]);
    expect(initialMessages).toEqual([{ text: 'Hi' }]);
  });

  it('inherits settings that the request sets to UNSPECIFIED', () => {
    expect(inherit({ retentionPolicy: 'CALL_RETENTION_POLICY_UNSPECIFIED' }).retentionPolicy).toBe('zdr');
  });

  it('inherits no tools when the request has an empty list', () => {
    expect(inherit({ selectedTools: [] }).selectedTools).toEqual([]);
  });

  it('does not inherit the outgoing numbers of the prior call', () => {
    const outgoing = { to: '+1', from: '+2' };
    const medium = (given: StartCallRequest['medium']) => inherit({}, { medium: given! }).medium;
    expect(medium({ telephony1: { outgoing, dtmfHandling: { ignore: true } } })).toEqual({
      telephony1: { dtmfHandling: { ignore: true } },
    });
    expect(medium({ sip: { outgoing } })).toEqual({ sip: { incoming: {} } });
    expect(inherit({ medium: { telephony1: { outgoing } } }).medium).toEqual({ telephony1: { outgoing } });
  });

  it('does not inherit the voice or its overrides when the request names another voice', () => {
    expect(inherit({ voice: 'other' }).voiceOverrides).toBeUndefined();
    const external = inherit({ externalVoice: { generic: { url: 'https://a.test' } } });
    expect(external.voice).toBeUndefined();
    expect(external.voiceOverrides).toBeUndefined();
    expect(inherit({ voiceOverrides: { provider1: { speed: 0.9 } } }).voice).toBe('provided');
  });

  it('does not inherit first-speaker and output settings that contradict the request', () => {
    expect(inherit({ firstSpeaker: 'FIRST_SPEAKER_USER' }).firstSpeakerSettings).toBeUndefined();
    const outputMedium = (...allowedMediums: ('MESSAGE_MEDIUM_TEXT' | 'MESSAGE_MEDIUM_VOICE')[]) =>
      inherit({ mediumRestriction: { allowedMediums } }).initialOutputMedium;
    expect(outputMedium('MESSAGE_MEDIUM_TEXT')).toBeUndefined();
    expect(outputMedium('MESSAGE_MEDIUM_TEXT', 'MESSAGE_MEDIUM_VOICE')).toBe('MESSAGE_MEDIUM_VOICE');
    expect(outputMedium()).toBe('MESSAGE_MEDIUM_VOICE');
  });

  it('limits a long history to the newest messages that fit into a call', () => {
    const long = Array.from({ length: 20 }, (_, i) => ({ text: `${i}:${'x'.repeat(60_000)}` }));
    const { initialMessages } = inheritPriorCall({}, resolveSettings(base), long);
    expect(initialMessages).toHaveLength(8);
    expect(initialMessages!.at(-1)).toEqual(long.at(-1));
  });
});
