import { describe, expect, it } from '@jest/globals';
import { StartCallRequest } from '@calls/api-contract/rest/call';
import { textIssues } from '@calls/api-contract/validation/text-issues';
import { compileValidator } from '@calls/foundation/schema/validator';
import { outgoingSettingIssues, requestIssues } from './request-issues.ts';

const schema = compileValidator('request body', StartCallRequest);
/** Runs the checks of the API: the schema, the texts, the rules. */
const allIssues = (body: unknown) => [...schema.issues(body), ...textIssues(body), ...requestIssues(body)];
const paths = (body: unknown) => allIssues(body).map((issue) => issue.path);

const timed = (duration: string) => ({ duration, message: 'Are you there?' });
const toolCall = (invocationId?: string) => ({
  role: 'MESSAGE_ROLE_TOOL_CALL',
  toolName: 'look',
  ...(invocationId !== undefined && { invocationId }),
});
const toolResult = (invocationId?: string) => ({
  role: 'MESSAGE_ROLE_TOOL_RESULT',
  text: '',
  ...(invocationId !== undefined && { invocationId }),
});
const textOnly = { allowedMediums: ['MESSAGE_MEDIUM_TEXT'] };

describe('requestIssues', () => {
  it('rejects custom headers that no request can carry', () => {
    const headers = { 'X-Mood': 'fröhlich', Authorization: 'Bearer t\n', 'X Mood': 'good', 'X-Name': 'Ł' };
    const dataConnection = { websocketUrl: 'wss://example.com', headers };
    expect(allIssues({ dataConnection })).toEqual([
      { path: 'dataConnection.headers.Authorization', message: 'must be text that an HTTP header can carry' },
      { path: 'dataConnection.headers.X Mood', message: 'must be the name of an HTTP header' },
      { path: 'dataConnection.headers.X-Name', message: 'must be text that an HTTP header can carry' },
    ]);
    const generic = { url: 'https://example.com', headers: { 'X-Key': 'k\r' } };
    expect(paths({ externalVoice: { generic } })).toEqual(['externalVoice.generic.headers.X-Key']);
  });

  it('accepts an empty and a full body', () => {
    expect(allIssues({})).toEqual([]);
    expect(
      allIssues({
        systemPrompt: 'You are kind. 🙂',
        temperature: 1,
        model: 'svc-local',
        voice: 'x',
        languageHint: 'zh-Hant-TW',
        initialMessages: [{ role: 'MESSAGE_ROLE_AGENT', text: 'hi', timespan: { start: '1s' } }],
        joinTimeout: '0.000000001s',
        maxDuration: '86400s',
        firstSpeakerSettings: { user: { fallback: { delay: '3600s', text: 'hi' } } },
        vadSettings: { turnEndpointDelay: '60s', frameActivationThreshold: 0.1 },
        medium: { serverWebSocket: { inputSampleRate: 48_000, mediaIdleTimeout: '0.000000001s' } },
        metadata: { 'svc-ok': 'x', '': 'y' },
        recordingEnabled: true,
        initialOutputMedium: 'MESSAGE_MEDIUM_UNSPECIFIED',
      }),
    ).toEqual([]);
  });

  it.each(['0s', '0.0s'])('rejects the join timeout %s', (joinTimeout) => {
    expect(allIssues({ joinTimeout })).toEqual([{ path: 'joinTimeout', message: 'must be longer than 0s' }]);
  });

  it('lists every issue with its path', () => {
    const body = {
      temperature: 1.5,
      joinTimeout: '-1s',
      maxDuration: '86401s',
      medium: { serverWebSocket: { inputSampleRate: 7999, extra: 1 } },
      metadata: { 'svc.x': 'y', n: 5 },
      vadSettings: { turnEndpointDelay: '1 second', frameActivationThreshold: 0.05 },
      typo: true,
    };
    expect(paths(body).sort()).toEqual(
      [
        'joinTimeout',
        'maxDuration',
        'medium.serverWebSocket.extra',
        'medium.serverWebSocket.inputSampleRate',
        'metadata.n',
        'metadata.svc.x',
        'temperature',
        'typo',
        'vadSettings.frameActivationThreshold',
        'vadSettings.turnEndpointDelay',
      ].sort(),
    );
  });

  it.each([
    ['joinTimeout', { joinTimeout: '3600.000000001s' }],
    ['joinTimeout', { joinTimeout: '-0.5s' }],
    ['vadSettings.minimumTurnDuration', { vadSettings: { minimumTurnDuration: '-1s' } }],
    ['firstSpeakerSettings.agent.delay', { firstSpeakerSettings: { agent: { delay: '-1s' } } }],
    [
      'firstSpeakerSettings.user.fallback.delay',
      { firstSpeakerSettings: { user: { fallback: { delay: '3601s' } } } },
    ],
    [
      'medium.serverWebSocket.mediaIdleTimeout',
      { medium: { serverWebSocket: { inputSampleRate: 8000, mediaIdleTimeout: '-1s' } } },
    ],
    ['inactivityMessages.1.duration', { inactivityMessages: [timed('5s'), timed('-5s')] }],
    ['inactivityMessages.0.duration', { inactivityMessages: [timed('3600.5s')] }],
    ['inactivityMessages.0.duration', { inactivityMessages: [timed('5 s')] }],
    ['externalVoice', { voice: 'x', externalVoice: { provider1: { voiceId: 'v' } } }],
    ['externalVoice', { externalVoice: { provider1: { voiceId: 'v' }, provider2: { voiceId: 'v' } } }],
    ['externalVoice', { externalVoice: {} }],
    ['voiceOverrides', { externalVoice: { provider1: { voiceId: 'v' } }, voiceOverrides: { provider1: {} } }],
    ['voiceOverrides', { voiceOverrides: { provider1: { speed: 1 } } }],
    ['voiceOverrides', { voice: 'x', voiceOverrides: { provider1: {}, generic: {} } }],
    ['firstSpeaker', { firstSpeaker: 'FIRST_SPEAKER_USER', firstSpeakerSettings: { agent: {} } }],
    ['firstSpeaker', { firstSpeaker: 'FIRST_SPEAKER_AGENT', firstSpeakerSettings: { user: {} } }],
    ['initialOutputMedium', { initialOutputMedium: 'MESSAGE_MEDIUM_VOICE', mediumRestriction: textOnly }],
    ['languageHint', { languageHint: 'en-GB-GB' }],
    ['languageHint', { languageHint: 'en-Latn-GB-oxendict' }],
    ['sharedSecrets.0', { sharedSecrets: ['x'.repeat(15)] }],
    ['sharedSecrets.0', { sharedSecrets: ['x'.repeat(128)] }],
    ['callbacks.ended.secrets.0', { callbacks: { ended: { url: 'https://a.test', secrets: ['short'] } } }],
    ['callbacks.ended.url', { callbacks: { ended: { url: 'ftp://a.test' } } }],
    ['dataConnection.websocketUrl', { dataConnection: { websocketUrl: 'https://a.test' } }],
    ['retentionPolicy', { retentionPolicy: 'CALL_RETENTION_POLICY_FOREVER' }],
    ['admissionPreference', { admissionPreference: 'standard' }],
    ['firstSpeakerSettings', { firstSpeakerSettings: { agent: {}, user: {} } }],
    ['firstSpeakerSettings', { firstSpeakerSettings: {} }],
    ['medium', { medium: { webRtc: {}, serverWebSocket: { inputSampleRate: 8000 } } }],
    ['medium.serverWebSocket.inputSampleRate', { medium: { serverWebSocket: {} } }],
    ['languageHint', { languageHint: 'english please' }],
    ['initialMessages.0.role', { initialMessages: [{ role: 'user' }] }],
    ['initialMessages.0.text', { initialMessages: [{}] }],
    ['initialMessages.0.text', { initialMessages: [{ role: 'MESSAGE_ROLE_UNSPECIFIED', text: '' }] }],
    ['initialMessages.0.text', { initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: ' \n' }] }],
    ['initialMessages.1.text', { initialMessages: [{ text: 'hi' }, { role: 'MESSAGE_ROLE_AGENT' }] }],
    ['initialMessages.0.toolName', { initialMessages: [{ role: 'MESSAGE_ROLE_TOOL_CALL', text: '{}' }] }],
    ['initialMessages.0.invocationId', { initialMessages: [toolResult('a')] }],
    ['initialMessages.0.invocationId', { initialMessages: [toolResult()] }],
    ['initialMessages.0.invocationId', { initialMessages: [toolResult('a'), toolCall('a')] }],
    [
      'initialMessages.2.invocationId',
      { initialMessages: [toolCall('a'), toolResult('a'), toolResult('a')] },
    ],
    ['initialMessages.1.invocationId', { initialMessages: [toolCall('a'), toolCall('a')] }],
    ['initialMessages.1.invocationId', { initialMessages: [toolCall('a'), toolResult()] }],
    ['systemPrompt', { systemPrompt: 'a\0b' }],
    ['metadata.k', { metadata: { k: '\ud800' } }],
    ['initialMessages.0.metadata.x.0', { initialMessages: [{ text: 'hi', metadata: { x: ['\0'] } }] }],
    ['recordingEnabled', { recordingEnabled: 'yes' }],
    ['', []],
    ['', 'text'],
    ['', null],
  ])('reports one issue at the path "%s"', (path, body) => {
    expect(paths(body)).toEqual([path]);
  });

  it.each([
    ['provider1', 'voiceId'],
    ['provider1', 'model'],
    ['provider2', 'model'],
    ['provider3', 'voiceId'],
    ['provider4', 'voiceId'],
    ['provider5', 'modelId'],
    ['provider6', 'model'],
    ['provider7', 'userId'],
    ['provider7', 'quality'],
    ['generic', 'url'],
  ])('rejects voice overrides of %s that change the %s, which determines the price', (provider, field) => {
    const value = field === 'url' ? 'https://a.test' : 'x';
    const body = { voice: 'x', voiceOverrides: { [provider]: { [field]: value } } };
    expect(paths(body)).toEqual([`voiceOverrides.${provider}.${field}`]);
  });

  it.each([
    { provider1: { speed: 1, style: 0.5, stability: 0.5, similarityBoost: 1, useSpeakerBoost: true } },
    { provider2: { emotion: 'calm', generationConfig: { volume: 1 } } },
    { provider3: { speed: 1, conversational: true } },
    { provider4: { speakingRate: 1 } },
    { provider5: { temperature: 1, applyTextNormalization: true } },
    { provider6: { topK: 1, seed: 1 } },
    { provider7: { emotion: 'calm', temperature: 1 } },
    { generic: { responseWordsPerMinute: 150 } },
  ])('accepts voice overrides that change only the sound: %j', (voiceOverrides) => {
    expect(allIssues({ voice: 'x', voiceOverrides })).toEqual([]);
  });

  it.each([
    { firstSpeaker: 'FIRST_SPEAKER_UNSPECIFIED', firstSpeakerSettings: { user: {} } },
    { firstSpeaker: 'FIRST_SPEAKER_UNSPECIFIED', firstSpeakerSettings: { agent: {} } },
    { firstSpeaker: 'FIRST_SPEAKER_USER', firstSpeakerSettings: { user: {} } },
    { firstSpeaker: 'FIRST_SPEAKER_USER' },
    { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT', mediumRestriction: textOnly },
    { initialOutputMedium: 'MESSAGE_MEDIUM_UNSPECIFIED', mediumRestriction: textOnly },
    { initialOutputMedium: 'MESSAGE_MEDIUM_VOICE', mediumRestriction: { allowedMediums: [] } },
    { languageHint: 'zh-Hant-TW' },
    { inactivityMessages: [timed('0s'), timed('3600s')] },
    { initialMessages: [{ text: 'hi' }, { role: 'MESSAGE_ROLE_UNSPECIFIED', text: 'hi' }] },
    { initialMessages: [toolCall('a'), toolCall(), toolCall('b'), toolResult('a'), toolResult()] },
    { backgroundAudio: { audioClip: 'comfort_noise', volume: 0 } },
    { backgroundAudio: { audioClip: 'https://example.com/office.wav' } },
    { backgroundAudio: {} },
  ])('accepts %j', (body) => {
    expect(allIssues(body)).toEqual([]);
  });

  it.each(['office', 'ftp://example.com/a.wav', 'https://', 'Comfort_noise'])(
    'rejects %j as background audio and lists the valid values',
    (audioClip) => {
      const message = 'must be the URL of a WAV file, or one of comfort_noise, pink_noise, brown_noise';
      expect(allIssues({ backgroundAudio: { audioClip } })).toEqual([
        { path: 'backgroundAudio.audioClip', message },
      ]);
    },
  );

  it('reports one issue for a value that is nested too deeply, without a stack overflow', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    const issues = allIssues({ initialMessages: [{ text: 'hi', metadata: { deep } }] });
    expect(issues).toHaveLength(1);
    expect(issues[0]!.message).toContain('nested');
  });

  it('allows answering machine detection for outgoing calls only', () => {
    const path = 'answeringMachineDetection';
    const outgoing = { to: '+15550001', from: '+15550002' };
    const issuesWith = (medium?: object) => outgoingSettingIssues({ [path]: {}, medium });
    const message = 'needs an outgoing call: set medium.sip.outgoing or medium.telephonyN.outgoing';
    for (const medium of [undefined, { webRtc: {} }, { telephony1: {} }, { sip: { incoming: {} } }])
      expect(issuesWith(medium)).toEqual([{ path, message }]);
    expect(issuesWith({ telephony1: { outgoing } })).toEqual([]);
    expect(issuesWith({ sip: { outgoing } })).toEqual([]);
    expect(outgoingSettingIssues({})).toEqual([]);
  });

  it('requires a message if and only if onMachine is leave_message', () => {
    const medium = { telephony1: { outgoing: { to: '+15550001', from: '+15550002' } } };
    const of = (answeringMachineDetection: object) => paths({ medium, answeringMachineDetection });
    expect(of({ onMachine: 'leave_message', message: 'Please call back.' })).toEqual([]);
    expect(of({ onMachine: 'leave_message' })).toEqual(['answeringMachineDetection.message']);
    expect(of({ onMachine: 'leave_message', message: ' ' })).toEqual(['answeringMachineDetection.message']);
    expect(of({ message: 'Please call back.' })).toEqual(['answeringMachineDetection.message']);
    expect(of({ onIvr: 'leave_message' })).toEqual(['answeringMachineDetection.onIvr']);
  });
});
