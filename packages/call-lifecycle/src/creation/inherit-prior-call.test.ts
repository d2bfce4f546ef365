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
  it('takes over what the request does not name, and the history', () => {
    const request = inherit({ temperature: 0 });
    expect(request).toMatchObject({ ...base, temperature: 0, retentionPolicy: 'zdr' });
    expect(request.initialMessages).toEqual([
      { role: 'MESSAGE_ROLE_AGENT', text: 'Hello' },
      { role: 'MESSAGE_ROLE_USER', text: 'Hi', metadata: { k: 1 } },
    ]);
  });

  it('leaves out messages that no model can be given', () => {
    const result = { role: 'MESSAGE_ROLE_TOOL_RESULT', invocationId: 'cut off', text: 'sunny' } as const;
    const silent = { role: 'MESSAGE_ROLE_AGENT', text: '' } as const;
    const { initialMessages } = inheritPriorCall({}, resolveSettings(base), [result, silent, { text: 'Hi' }]);
    expect(initialMessages).toEqual([{ text: 'Hi' }]);
  });

  it('leaves out the instructions of a supervisor', () => {
    const whisper = { role: 'MESSAGE_ROLE_UNSPECIFIED', text: 'Offer breakfast.' } as const;
    const { initialMessages } = inheritPriorCall({}, resolveSettings(base), [{ text: 'Hi' }, whisper]);
    expect(initialMessages).toEqual([{ text: 'Hi' }]);
  });

  it('lets what is unspecified be inherited', () => {
    expect(inherit({ retentionPolicy: 'CALL_RETENTION_POLICY_UNSPECIFIED' }).retentionPolicy).toBe('zdr');
  });

  it('lets an empty list override tools', () => {
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

  it('takes the fields of a voice over together or not at all', () => {
    expect(inherit({ voice: 'other' }).voiceOverrides).toBeUndefined();
    const external = inherit({ externalVoice: { generic: { url: 'https://a.test' } } });
    expect(external.voice).toBeUndefined();
    expect(external.voiceOverrides).toBeUndefined();
    expect(inherit({ voiceOverrides: { provider1: { speed: 0.9 } } }).voice).toBe('provided');
  });

  it('takes over no opening that what the request names contradicts', () => {
    expect(inherit({ firstSpeaker: 'FIRST_SPEAKER_USER' }).firstSpeakerSettings).toBeUndefined();
    const restricted = inherit({ mediumRestriction: { allowedMediums: ['MESSAGE_MEDIUM_TEXT'] } });
    expect(restricted.initialOutputMedium).toBeUndefined();
  });

  it('carries as much of a long history as a call can, the newest', () => {
    const long = Array.from({ length: 20 }, (_, i) => ({ text: `${i}:${'x'.repeat(60_000)}` }));
    const { initialMessages } = inheritPriorCall({}, resolveSettings(base), long);
    expect(initialMessages).toHaveLength(8);
    expect(initialMessages!.at(-1)).toEqual(long.at(-1));
  });
});
