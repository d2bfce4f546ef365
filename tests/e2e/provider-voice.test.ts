import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountTtsKeys } from '@calls/api-contract/rest/tts-keys';
import type { Voice } from '@calls/api-contract/rest/voice';
import type { Stack } from '@calls/local-stack/stack';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';
import { createServiceAccount } from '../support/tts-stand-ins/account.ts';
import { startTtsStandIns, type TtsStandIns } from '../support/tts-stand-ins/start-tts-stand-ins.ts';

const KEY = 'key-of-the-account';
const GREETING = 'Good morning, this is Ada.';

let standIns: TtsStandIns;
let stack: Stack;
let api: Api;

beforeAll(async () => {
  standIns = await startTtsStandIns({ apiKey: KEY, publicKeyPem: createServiceAccount().publicKeyPem });
  stack = await startTestStack({
    env: { TTS_PROVIDER1_BASE_URL: standIns.httpUrl, OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' },
  });
  api = new Api(stack);
  const keys = await api.request<AccountTtsKeys>('PATCH', '/api/accounts/me/tts_api_keys', {
    provider1: KEY,
  });
  expect(keys.status).toBe(200);
});
afterAll(async () => {
  await standIns[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

describe('a call with a provider voice', () => {
  it.each([
    ['an external voice', 'externalVoice', { provider1: { voiceId: 'v1' } }, 'xi-api-key'],
    ['a voice of its account', 'voice', { provider1: { voiceId: 'v2' } }, 'xi-api-key'],
  ] as const)('speaks with %s and the key of the account', async (_, field, definition, header) => {
    await standIns.control();
    const added = await api.request<Voice>('POST', '/api/voices', { name: `Mine ${field}`, definition });
    expect(added.status).toBe(201);
    const { call, client } = await api.startCall({
      [field]: field === 'voice' ? added.body.voiceId : definition,
      firstSpeakerSettings: { agent: { text: GREETING } },
    });
    await client.until('the greeting', () => client.isPlaying);
    const { requests } = await standIns.report();
    expect(requests.map(({ asked, headers }) => [asked, headers[header]])).toEqual([
      [expect.objectContaining({ text: GREETING }), KEY],
    ]);
    await client.hangUp();
    const events = await api.events(call.callId);
    expect(events.filter(({ type }) => type === 'voice_fault')).toEqual([]);
  });

  it('reports provider errors as call events without the key and uses the fallback voice', async () => {
    await standIns.control({ behaviour: 'error', errorStatus: 402, errorMessage: `No credits for ${KEY}.` });
    const { call, client } = await api.startCall({
      externalVoice: { provider1: { voiceId: 'v1' } },
      firstSpeakerSettings: { agent: { text: GREETING } },
    });
    await client.until('the greeting', () => client.isPlaying);
    await client.hangUp();
    await eventually(async () => {
      const faults = (await api.events(call.callId)).filter(({ type }) => type === 'voice_fault');
      expect(faults).toMatchObject([
        { severity: 'warning', text: 'provider1: status 402: No credits for […].' },
      ]);
    });
  });

  it('speaks through a customer endpoint, which receives its headers', async () => {
    await standIns.control();
    const { client } = await api.startCall({
      externalVoice: {
        generic: {
          url: `${standIns.httpUrl}/speak`,
          headers: { 'X-Key': KEY },
          body: { say: { words: '{text}' }, rateHz: 24_000 },
        },
      },
      firstSpeakerSettings: { agent: { text: GREETING } },
    });
    await client.until('the greeting', () => client.isPlaying);
    const { requests } = await standIns.report();
    expect(requests.map(({ asked }) => asked)).toEqual([{ say: { words: GREETING }, rateHz: 24_000 }]);
    await client.hangUp();
  });
});
