import { describe, expect, it } from '@jest/globals';
import {
  CALL_SETTING_DEFAULTS,
  callSettingsOf,
  showCallSettings,
  shownCallSettings,
} from './call-settings.ts';
import { CallTemplate } from './call-template.ts';
import { Call, StartAgentCallRequest, StartCallRequest } from './call.ts';
import { NewStage } from './call-records.ts';

const fieldsOf = (schema: { properties: object }): string[] => Object.keys(schema.properties).sort();
const descriptionOf = (schema: object): unknown =>
  'x-description-here' in schema
    ? schema['x-description-here']
    : Object.entries(schema).find(([key]) => key === 'description')?.[1];

const OF_STAGES = [
  'externalVoice',
  'inactivityMessages',
  'initialMessages',
  'initialState',
  'keyTerms',
  'languageHint',
  'model',
  'selectedTools',
  'systemPrompt',
  'temperature',
  'timeExceededMessage',
  'vadSettings',
  'voice',
  'voiceOverrides',
];
const OF_AGENT_CALLS = [
  'analysisSettings',
  'answeringMachineDetection',
  'callbacks',
  'dataConnection',
  'experimentalSettings',
  'firstSpeakerSettings',
  'initialMessages',
  'initialOutputMedium',
  'ivrNavigation',
  'joinTimeout',
  'maxDuration',
  'medium',
  'metadata',
  'recordingEnabled',
  'retentionPolicy',
  'sharedSecrets',
  'voice',
  'voiceOverrides',
];

describe('call settings', () => {
  it('define the fields of every request', () => {
    expect(fieldsOf(NewStage)).toEqual(OF_STAGES);
    expect(fieldsOf(StartAgentCallRequest)).toEqual(
      [...OF_AGENT_CALLS, 'agentId', 'callTemplate', 'templateContext', 'toolOverrides'].sort(),
    );
    expect(fieldsOf(StartCallRequest)).toEqual(
      [
        ...new Set([...OF_STAGES, ...OF_AGENT_CALLS]),
        'admissionPreference',
        'backgroundAudio',
        'firstSpeaker',
        'mediumRestriction',
        'transcriptOptional',
      ].sort(),
    );
    const onlyOfCalls = [
      'callbacks',
      'experimentalSettings',
      'firstSpeaker',
      'initialMessages',
      'initialState',
    ];
    expect(fieldsOf(CallTemplate.Request)).toEqual(
      [
        ...fieldsOf(StartCallRequest).filter(
          (name) => ![...onlyOfCalls, 'metadata', 'transcriptOptional'].includes(name),
        ),
        'contextSchema',
        'created',
        'name',
        'updated',
      ].sort(),
    );
    expect(StartCallRequest.required).toBeUndefined();
  });

  it('are omitted from responses when they are write-only', () => {
    const writeOnly = ['firstSpeaker', 'initialMessages', 'selectedTools', 'sharedSecrets'];
    const shown = fieldsOf(StartCallRequest).filter((name) => !writeOnly.includes(name));
    expect(Object.keys(shownCallSettings.call).sort()).toEqual(shown);
    expect(Object.keys(Call.properties)).not.toContain('dataConnection');
    expect(Object.keys(CallTemplate.Response.properties)).not.toContain('sharedSecrets');
  });

  it('have descriptions that state the default, or refer to the agent’s template in calls of agents', () => {
    for (const properties of [...Object.values(callSettingsOf), ...Object.values(shownCallSettings)]) {
      const undescribed = Object.entries<object>(properties).filter(([, schema]) => !descriptionOf(schema));
      expect(undescribed).toEqual([]);
    }
    expect(descriptionOf(callSettingsOf.call.joinTimeout)).toContain('Defaults to `30s`.');
    expect(descriptionOf(callSettingsOf.agentCall.joinTimeout)).toContain('template of the agent');
  });

  it('have their annotated value in responses when the call does not set them', () => {
    const shown = showCallSettings('stage', { ...CALL_SETTING_DEFAULTS, systemPrompt: 'Be brief.' });
    expect(shown).toEqual({
      systemPrompt: 'Be brief.',
      temperature: 0,
      model: 'svc-v0.7',
      experimentalSettings: null,
      voice: null,
      languageHint: null,
      keyTerms: [],
      timeExceededMessage: null,
      inactivityMessages: [],
      initialState: {},
    });
  });

  it('have no limits in response schemas', () => {
    expect(callSettingsOf.call.temperature).toMatchObject({ minimum: 0, maximum: 1 });
    expect(shownCallSettings.call.temperature).not.toHaveProperty('maximum');
    expect(JSON.stringify(shownCallSettings.call.metadata)).not.toContain('maxLength');
  });
});
