import { describe, expect, it } from '@jest/globals';
import { CallSpec } from '@calls/api-contract/call-spec';
import type { StartCallRequest } from '@calls/api-contract/rest/call';
import { newId } from '@calls/foundation/ids';
import { compileValidator } from '@calls/foundation/schema/validator';
import { buildCallSpec } from './build-call-spec.ts';
import { resolveSettings } from './resolve-settings.ts';
import { BUILT_IN_TOOLS } from './tools/built-in-tools.ts';
import type { ResolvedTool } from './tools/resolved-tool.ts';

const validator = compileValidator('call spec', CallSpec);

function specOf(
  request: StartCallRequest,
  greetingPromptEnabled = true,
  tools: readonly ResolvedTool[] = [],
): CallSpec {
  const serverWebSocket = request.medium?.serverWebSocket ?? { inputSampleRate: 16_000 };
  const spec = buildCallSpec({
    callId: newId(),
    accountId: newId(),
    firstStageId: newId(),
    createdAtMs: 1,
    settings: resolveSettings({ ...request, medium: { serverWebSocket } }),
    medium: { kind: 'serverWebSocket', given: serverWebSocket },
    voice: { engine: 'espeak-ng', settings: { voice: 'en-gb' } },
    tools,
    greetingPromptEnabled,
  });
  return validator.parse(spec);
}

describe('buildCallSpec', () => {
  it('applies every default', () => {
    expect(specOf({})).toMatchObject({
      firstStage: {
        systemPrompt: '',
        model: 'svc-v0.7',
        temperature: 0,
        languageHint: null,
        initialMessages: [],
        timeExceededMessage: null,
        inactivityMessages: [],
        vad: {
          turnEndpointDelayMs: 384,
          minimumTurnDurationMs: 0,
          minimumInterruptionDurationMs: 90,
          frameActivationThreshold: 0.1,
        },
        tools: [],
        initialState: {},
      },
      joinTimeoutMs: 30_000,
      maxDurationMs: 3_600_000,
      firstSpeaker: { who: 'agent', text: null, prompt: null, delayMs: 0, uninterruptible: false },
      greetingPromptEnabled: true,
      medium: {
        kind: 'serverWebSocket',
        inputSampleRateHz: 16_000,
        outputSampleRateHz: 16_000,
        clientBufferMs: 60,
        mediaIdleTimeoutMs: null,
        dataMessages: {},
      },
      initialOutputMedium: 'voice',
      recordingEnabled: false,
      allowedMediums: ['voice', 'text'],
      retention: 'retain',
      metadata: {},
      sharedSecrets: [],
      dataConnection: null,
      backgroundAudio: null,
    });
  });

  it('applies the settings of the request', () => {
    const spec = specOf(
      {
        systemPrompt: 'Be brief.',
        model: 'svc-local',
        temperature: 0.4,
        languageHint: 'en-GB',
        keyTerms: ['Ada', ' Grand\nHotel', '', 'Ada'],
        initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'hi' }],
        joinTimeout: '1.5s',
        maxDuration: '90s',
        timeExceededMessage: 'Time is up.',
        inactivityMessages: [
          { duration: '8s', message: 'Hello?' },
          { duration: '4.5s', message: 'Still there?', endBehavior: 'END_BEHAVIOR_HANG_UP_SOFT' },
          { duration: '4s', message: 'Goodbye.', endBehavior: 'END_BEHAVIOR_HANG_UP_STRICT' },
        ],
        firstSpeakerSettings: { agent: { uninterruptible: true, text: 'Hello', delay: '2s' } },
        vadSettings: { turnEndpointDelay: '0.5s', frameActivationThreshold: 0.6 },
        initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
        recordingEnabled: true,
        medium: {
          serverWebSocket: {
            inputSampleRate: 8000,
            outputSampleRate: 24_000,
            clientBufferSizeMs: 0,
            dataMessages: { debug: true },
          },
        },
      },
      false,
    );
    expect(spec).toMatchObject({
      joinTimeoutMs: 1500,
      maxDurationMs: 90_000,
      firstStage: {
        keyTerms: ['Ada', 'Grand Hotel'],
        timeExceededMessage: 'Time is up.',
        inactivityMessages: [
          { delayMs: 8000, text: 'Hello?', hangUp: 'never' },
          { delayMs: 4500, text: 'Still there?', hangUp: 'unless_answered' },
          { delayMs: 4000, text: 'Goodbye.', hangUp: 'always' },
        ],
        vad: { turnEndpointDelayMs: 500, frameActivationThreshold: 0.6 },
      },
      firstSpeaker: { who: 'agent', text: 'Hello', delayMs: 2000, uninterruptible: true },
      greetingPromptEnabled: false,
      initialOutputMedium: 'text',
      medium: {
        inputSampleRateHz: 8000,
        outputSampleRateHz: 24_000,
        clientBufferMs: 0,
        dataMessages: { debug: true },
      },
    });
  });

  it('treats an initial message without a role as a message of the user', () => {
    const given: StartCallRequest['initialMessages'] = [
      { text: 'I am Ada.' },
      { role: 'MESSAGE_ROLE_UNSPECIFIED', text: 'Are you there?' },
      { role: 'MESSAGE_ROLE_AGENT', text: 'Yes.' },
    ];
    expect(specOf({ initialMessages: given }).firstStage.initialMessages).toEqual([
      { role: 'MESSAGE_ROLE_USER', text: 'I am Ada.' },
      { role: 'MESSAGE_ROLE_USER', text: 'Are you there?' },
      { role: 'MESSAGE_ROLE_AGENT', text: 'Yes.' },
    ]);
  });

  it('makes the user the first speaker, with or without a fallback', () => {
    expect(specOf({ firstSpeakerSettings: { user: {} } }).firstSpeaker).toEqual({
      who: 'user',
      fallback: null,
    });
    const fallback = { text: 'Hello?', delay: '7s' };
    expect(specOf({ firstSpeakerSettings: { user: { fallback } } }).firstSpeaker).toEqual({
      who: 'user',
      fallback: { text: 'Hello?', prompt: null, delayMs: 7000 },
    });
  });

  it('raises the minimum interruption duration to the minimum turn duration', () => {
    const { vad } = specOf({
      vadSettings: { minimumTurnDuration: '0.3s', minimumInterruptionDuration: '0.1s' },
    }).firstStage;
    expect(vad).toMatchObject({ minimumTurnDurationMs: 300, minimumInterruptionDurationMs: 300 });
  });

  it.each([
    ['0s', 10_000],
    ['9.999s', 10_000],
    ['10.5s', 10_500],
  ])('converts a media idle timeout of %s to %d ms', (mediaIdleTimeout, expectedMs) => {
    const { medium } = specOf({ medium: { serverWebSocket: { inputSampleRate: 8000, mediaIdleTimeout } } });
    if (medium.kind !== 'serverWebSocket') throw new Error('another medium');
    expect(medium.mediaIdleTimeoutMs).toBe(expectedMs);
  });

  it('includes shared secrets, metadata, the retention policy and the recording setting', () => {
    const sharedSecrets = ['a secret of sixteen', 'another of sixteen'];
    expect(specOf({ sharedSecrets, metadata: { order: '7' } })).toMatchObject({
      sharedSecrets,
      metadata: { order: '7' },
    });
    expect(
      (['CALL_RETENTION_POLICY_AUTO_DELETE', 'CALL_RETENTION_POLICY_ZDR', 'retain'] as const).map(
        (retentionPolicy) => specOf({ retentionPolicy, recordingEnabled: true }),
      ),
    ).toMatchObject([
      { retention: 'auto_delete', recordingEnabled: true },
      { retention: 'zdr', recordingEnabled: false },
      { retention: 'retain', recordingEnabled: true },
    ]);
  });

  it.each<[NonNullable<StartCallRequest['mediumRestriction']>, CallSpec['allowedMediums'], 'voice' | 'text']>(
    [
      [{}, ['voice', 'text'], 'voice'],
      [{ allowedMediums: [] }, ['voice', 'text'], 'voice'],
      [{ allowedMediums: ['MESSAGE_MEDIUM_UNSPECIFIED'] }, ['voice', 'text'], 'voice'],
      [{ allowedMediums: ['MESSAGE_MEDIUM_TEXT', 'MESSAGE_MEDIUM_TEXT'] }, ['text'], 'text'],
      [{ allowedMediums: ['MESSAGE_MEDIUM_VOICE', 'MESSAGE_MEDIUM_UNSPECIFIED'] }, ['voice'], 'voice'],
    ],
  )(
    'maps the medium restriction %j to the allowed mediums %j',
    (mediumRestriction, allowedMediums, first) => {
      expect(specOf({ mediumRestriction })).toMatchObject({ allowedMediums, initialOutputMedium: first });
    },
  );

  it('adds audio to a data connection only when the request has an audioConfig', () => {
    const websocketUrl = 'wss://data.test';
    const plain = { url: websocketUrl, headers: {}, dataMessages: {}, audio: null };
    expect(specOf({ dataConnection: { websocketUrl } }).dataConnection).toEqual(plain);
    expect(
      specOf({
        dataConnection: {
          websocketUrl,
          headers: { Authorization: 'x' },
          dataMessages: { transcript: true },
          audioConfig: {},
        },
      }).dataConnection,
    ).toEqual({
      ...plain,
      headers: { Authorization: 'x' },
      dataMessages: { transcript: true },
      audio: { sampleRateHz: 16_000, channelMode: 'mixed' },
    });
    const audioConfig = { sampleRate: 48_000, channelMode: 'CHANNEL_MODE_SEPARATED' } as const;
    expect(specOf({ dataConnection: { websocketUrl, audioConfig } }).dataConnection?.audio).toEqual({
      sampleRateHz: 48_000,
      channelMode: 'separated',
    });
  });

  it('sets background audio to half volume by default, and to null without a clip', () => {
    const audioClip = 'office';
    expect(specOf({ backgroundAudio: { audioClip } }).backgroundAudio).toEqual({ audioClip, volume: 0.5 });
    expect(specOf({ backgroundAudio: { audioClip, volume: 0 } }).backgroundAudio?.volume).toBe(0);
    expect(specOf({ backgroundAudio: { volume: 1 } }).backgroundAudio).toBeNull();
    expect(specOf({ backgroundAudio: { audioClip: '' } }).backgroundAudio).toBeNull();
  });

  it('identifies built-in tools by ID, not by name', () => {
    const definition = { client: {}, timeout: '2.5s' };
    const tool = (toolId: string | null, name: string): ResolvedTool => ({
      toolId,
      name,
      definition,
      auth: { headers: { 'X-Key': 'k' }, queryParams: { q: 'v' }, callTokenScopes: ['x'] },
    });
    const builtIns = BUILT_IN_TOOLS.map(({ toolId }, i) => tool(toolId, `renamed${i}`));
    const others = [tool(newId(), 'hangUp'), tool(null, 'queryCorpus')];
    const { tools } = specOf({}, true, [...builtIns, ...others]).firstStage;
    expect(tools.map(({ builtIn }) => builtIn)).toEqual([
      ...BUILT_IN_TOOLS.map(({ name }) => name),
      null,
      null,
    ]);
    expect(tools.at(-1)).toEqual({
      name: 'queryCorpus',
      builtIn: null,
      definition,
      auth: { headers: { 'X-Key': 'k' }, queryParams: { q: 'v' } },
    });
  });
});
