import { describe, expect, it } from '@jest/globals';
import { compileValidator, StartCallRequest, textFaults } from '@calls/api-contract';
import { requestFaults } from './request-faults.ts';

const schema = compileValidator('request body', StartCallRequest);
/** As the API finds them: by the schema, in its texts, by the rules. */
const allFaults = (body: unknown) => [...schema.faults(body), ...textFaults(body), ...requestFaults(body)];
const paths = (body: unknown) => allFaults(body).map((fault) => fault.path);

describe('requestFaults', () => {
  it('finds nothing wrong with an empty or a full body', () => {
    expect(allFaults({})).toEqual([]);
    expect(
      allFaults({
        systemPrompt: 'You are kind. 🙂',
        temperature: 1,
        model: 'svc-local',
        voice: 'x',
        languageHint: 'zh-Hant-TW',
        initialMessages: [{ role: 'MESSAGE_ROLE_AGENT', text: 'hi', timespan: { start: '1s' } }],
        joinTimeout: '0s',
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

  it('lists every fault with its path', () => {
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
    ['firstSpeakerSettings', { firstSpeakerSettings: { agent: {}, user: {} } }],
    ['firstSpeakerSettings', { firstSpeakerSettings: {} }],
    ['medium', { medium: { webRtc: {}, serverWebSocket: { inputSampleRate: 8000 } } }],
    ['medium.serverWebSocket.inputSampleRate', { medium: { serverWebSocket: {} } }],
    ['languageHint', { languageHint: 'english please' }],
    ['initialMessages.0.role', { initialMessages: [{ role: 'user' }] }],
    ['systemPrompt', { systemPrompt: 'a\0b' }],
    ['metadata.k', { metadata: { k: '\ud800' } }],
    ['initialMessages.0.metadata.x.0', { initialMessages: [{ metadata: { x: ['\0'] } }] }],
    ['recordingEnabled', { recordingEnabled: 'yes' }],
    ['', []],
    ['', 'text'],
    ['', null],
  ])('finds the fault at "%s"', (path, body) => {
    expect(paths(body)).toEqual([path]);
  });

  it('refuses what is nested too deeply without trouble of its own', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    const faults = allFaults({ initialMessages: [{ metadata: { deep } }] });
    expect(faults).toHaveLength(1);
    expect(faults[0]!.message).toContain('nested');
  });
});
