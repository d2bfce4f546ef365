import { describe, expect, it } from '@jest/globals';
import type { StartCallRequest } from '@calls/api-contract/rest/call';
import { resolveSettings } from './resolve-settings.ts';

describe('resolveSettings', () => {
  it('fills in the defaults', () => {
    expect(resolveSettings({})).toEqual({
      temperature: 0,
      model: 'svc-v0.7',
      joinTimeout: '30s',
      maxDuration: '3600s',
      firstSpeakerSettings: { agent: {} },
      medium: { webRtc: {} },
      metadata: {},
      recordingEnabled: false,
      initialOutputMedium: 'MESSAGE_MEDIUM_VOICE',
      retentionPolicy: 'retain',
    });
  });

  it.each([
    ['CALL_RETENTION_POLICY_UNSPECIFIED', 'retain'],
    ['CALL_RETENTION_POLICY_AUTO_DELETE', 'auto_delete'],
    ['auto_delete', 'auto_delete'],
    ['CALL_RETENTION_POLICY_ZDR', 'zdr'],
    ['zdr', 'zdr'],
  ] as const)('normalizes the retention policy %s', (given, answered) => {
    expect(resolveSettings({ retentionPolicy: given }).retentionPolicy).toBe(answered);
  });

  it.each([
    ['CALL_ADMISSION_PREFERENCE_UNSPECIFIED', undefined],
    ['CALL_ADMISSION_PREFERENCE_PRIORITY', 'priority'],
    ['lowest_cost', 'lowest_cost'],
  ] as const)('normalizes the admission preference %s', (given, answered) => {
    expect(resolveSettings({ admissionPreference: given }).admissionPreference).toBe(answered);
  });

  it('disables recording when the retention policy is zdr', () => {
    expect(resolveSettings({ retentionPolicy: 'zdr', recordingEnabled: true }).recordingEnabled).toBe(false);
    expect(resolveSettings({ retentionPolicy: 'auto_delete', recordingEnabled: true }).recordingEnabled).toBe(
      true,
    );
  });

  it('uses the deprecated firstSpeaker only when firstSpeakerSettings is missing', () => {
    const settings = (request: StartCallRequest) => resolveSettings(request).firstSpeakerSettings;
    expect(settings({ firstSpeaker: 'FIRST_SPEAKER_USER' })).toEqual({ user: {} });
    expect(settings({ firstSpeaker: 'FIRST_SPEAKER_UNSPECIFIED' })).toEqual({ agent: {} });
    const firstSpeakerSettings = { user: { fallback: { text: 'Hello?' } } };
    expect(settings({ firstSpeaker: 'FIRST_SPEAKER_USER', firstSpeakerSettings })).toEqual(
      firstSpeakerSettings,
    );
    expect(resolveSettings({ firstSpeaker: 'FIRST_SPEAKER_USER' })).not.toHaveProperty('firstSpeaker');
  });

  it('sets the initial output medium to text when voice is not allowed', () => {
    const starting = (allowedMediums: NonNullable<StartCallRequest['mediumRestriction']>['allowedMediums']) =>
      resolveSettings({ mediumRestriction: { ...(allowedMediums && { allowedMediums }) } });
    expect(starting(['MESSAGE_MEDIUM_TEXT']).initialOutputMedium).toBe('MESSAGE_MEDIUM_TEXT');
    expect(starting(['MESSAGE_MEDIUM_TEXT', 'MESSAGE_MEDIUM_VOICE']).initialOutputMedium).toBe(
      'MESSAGE_MEDIUM_VOICE',
    );
    for (const none of [undefined, [], ['MESSAGE_MEDIUM_UNSPECIFIED' as const]]) {
      expect(starting(none)).not.toHaveProperty('mediumRestriction');
      expect(starting(none).initialOutputMedium).toBe('MESSAGE_MEDIUM_VOICE');
    }
  });
});
