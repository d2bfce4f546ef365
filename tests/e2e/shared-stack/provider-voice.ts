import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountTtsKeys } from '@calls/api-contract/rest/tts-keys';
import type { Voice } from '@calls/api-contract/rest/voice';
import type { Stack } from '@calls/local-stack/stack';
import { Api } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import type { TtsStandIns } from '../../support/tts-stand-ins/start-tts-stand-ins.ts';

/** The API key that the stand-ins require. */
export const PROVIDER_KEY = 'key-of-the-account';
const GREETING = 'Good morning, this is Ada.';

/** `open` returns the stack with the key of a new account. The stand-ins serve its provider 1. */
export function describeProviderVoice(open: () => Promise<Stack>, standInsOf: () => TtsStandIns): void {
  let standIns: TtsStandIns;
  let api: Api;

  beforeAll(async () => {
    standIns = standInsOf();
    api = new Api(await open());
    const keys = await api.request<AccountTtsKeys>('PATCH', '/api/accounts/me/tts_api_keys', {
      provider1: PROVIDER_KEY,
    });
    expect(keys.status).toBe(200);
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
      // On a busy machine a filler may follow.
      expect(requests[0]?.asked).toMatchObject({ text: GREETING });
      for (const { headers } of requests) expect(headers[header]).toBe(PROVIDER_KEY);
      await client.hangUp();
      const events = await api.events(call.callId);
      expect(events.filter(({ type }) => type === 'voice_error')).toEqual([]);
    });

    it('reports provider errors as call events without the key and uses the fallback voice', async () => {
      await standIns.control({
        behaviour: 'error',
        errorStatus: 402,
        errorMessage: `No credits for ${PROVIDER_KEY}.`,
      });
      const { call, client } = await api.startCall({
        externalVoice: { provider1: { voiceId: 'v1' } },
        firstSpeakerSettings: { agent: { text: GREETING } },
      });
      await client.until('the greeting', () => client.isPlaying);
      await client.hangUp();
      await eventually(async () => {
        const errors = (await api.events(call.callId)).filter(({ type }) => type === 'voice_error');
        expect(errors).toMatchObject([
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
            headers: { 'X-Key': PROVIDER_KEY },
            body: { say: { words: '{text}' }, rateHz: 24_000 },
          },
        },
        firstSpeakerSettings: { agent: { text: GREETING } },
      });
      await client.until('the greeting', () => client.isPlaying);
      const { requests } = await standIns.report();
      // On a busy machine a filler may follow.
      expect(requests[0]?.asked).toEqual({ say: { words: GREETING }, rateHz: 24_000 });
      await client.hangUp();
    });
  });
}
