import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiError } from '@calls/api-contract/rest/common';
import type { Voice } from '@calls/api-contract/rest/voice';
import { parseWav } from '@calls/audio/wav';
import { newId } from '@calls/foundation/ids';
import { espeakVoices } from '@calls/providers/tts/espeak-ng/voices';
import { replaceCatalogue } from '@calls/store/tables/voices';
import {
  ControlPlaneHarness,
  type TestAccount,
  type TestRequest,
} from '../../support/control-plane-harness.ts';
import { createServiceAccount } from '../../support/tts-stand-ins/account.ts';
import { startTtsStandIns } from '../../support/tts-stand-ins/start-tts-stand-ins.ts';

const KEY = 'key-of-the-account-at-its-provider';
const serviceAccount = createServiceAccount();

let account: TestAccount;

const standIns = await startTtsStandIns({ apiKey: KEY, publicKeyPem: serviceAccount.publicKeyPem });
const harness = await ControlPlaneHarness.start({
  env: {
    TTS_PROVIDER1_BASE_URL: standIns.httpUrl,
    TTS_PROVIDER3_BASE_URL: standIns.httpUrl,
    TTS_PROVIDER4_BASE_URL: standIns.grpcUrl,
    TTS_PROVIDER5_BASE_URL: standIns.httpUrl,
    // Tests of slow providers need the default limits.
    TTS_FIRST_AUDIO_TIMEOUT_MS: '2500',
    TTS_GAP_TIMEOUT_MS: '2500',
  },
});
const catalogue = espeakVoices
  .filter(({ primaryLanguage }) => primaryLanguage === 'de-DE')
  .map(({ key, name, primaryLanguage, settings }) => ({
    voiceId: newId(),
    slug: key,
    name,
    description: null,
    primaryLanguage,
    languageLabel: null,
    engine: 'espeak-ng',
    engineSettings: { ...settings },
  }));
await replaceCatalogue(harness.store.db, catalogue, new Date());
afterAll(async () => {
  await standIns[Symbol.asyncDispose]();
  await harness.stop();
});
beforeEach(async () => {
  account = await harness.account();
  await standIns.control();
});

const GERMAN = 'Hallo! So klinge ich, wenn wir miteinander sprechen.';
const provider1 = { provider1: { voiceId: 'v1' } };

interface PreviewResponse {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

async function ask(path: string, init: TestRequest = {}, of = account): Promise<PreviewResponse> {
  const headers = { 'X-API-Key': of.key, 'Content-Type': 'application/json', ...init.headers };
  const response = await fetch(`${harness.url}${path}`, { ...init, headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
const preview = (voice: Voice, init?: TestRequest) => ask(`/api/voices/${voice.voiceId}/preview`, init);
const draft = (body: object, of?: TestAccount) =>
  ask('/api/voice_preview', { method: 'POST', body: JSON.stringify(body) }, of);
const errorOf = ({ bytes }: PreviewResponse): ApiError => JSON.parse(bytes.toString()) as ApiError;

/** Duration and mean level of the preview: -Infinity dB is silence, 0 dB is full scale. */
function measure({ headers, bytes }: PreviewResponse): { durationS: number; levelDb: number } {
  expect(headers.get('content-type')).toBe('audio/wav');
  const { samples, sampleRateHz } = parseWav(bytes);
  const power = samples.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0) / samples.length;
  return { durationS: samples.length / sampleRateHz, levelDb: 10 * Math.log10(power) };
}

async function add(definition: object, more: object = {}): Promise<Voice> {
  const response = await account.post<Voice>('/api/voices', { name: 'Mine', definition, ...more });
  expect(response.status).toBe(201);
  return response.body;
}
const setKeys = async (keys: object): Promise<void> => {
  expect((await account.send('PATCH', '/api/accounts/me/tts_api_keys', keys)).status).toBe(200);
};
const requests = async () => (await standIns.report()).requests;

describe('the preview of a public voice', () => {
  it('is audible speech that does not change, and returns 304 to a client that has it cached', async () => {
    const [voice] = (await account.list<Voice>('/api/voices')).results;
    const first = await preview(voice!);
    expect(first.status).toBe(200);
    const { durationS, levelDb } = measure(first);
    expect(durationS).toBeGreaterThan(2);
    expect(durationS).toBeLessThan(6);
    expect(levelDb).toBeGreaterThan(-30);
    expect(levelDb).toBeLessThan(-6);

    const again = await preview(voice!);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    const etag = first.headers.get('etag')!;
    expect(again.headers.get('etag')).toBe(etag);
    const known = await preview(voice!, {
      // Sent by browsers; without it, fetch disables the use of cached responses.
      headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' },
    });
    expect([known.status, known.bytes.byteLength]).toEqual([304, 0]);
  });
});

describe('the preview of a voice of a provider', () => {
  it('speaks the language of the voice with the provider key of the account', async () => {
    await setKeys({ provider1: KEY });
    const voice = await add(provider1, { primaryLanguage: 'de-AT' });
    const response = await preview(voice);
    expect(response.status).toBe(200);
    const { durationS, levelDb } = measure(response);
    // The stand-in speaks 60 ms per character.
    expect(durationS).toBeCloseTo(GERMAN.length * 0.06, 1);
    expect(levelDb).toBeGreaterThan(-40);
    const [request] = await requests();
    expect(request!.headers['xi-api-key']).toBe(KEY);
    expect(request!.asked).toMatchObject({ text: GERMAN });
  });

  it('is generated once and again when the voice, its language or the key changes', async () => {
    await setKeys({ provider1: KEY });
    const voice = await add(provider1);
    const path = `/api/voices/${voice.voiceId}`;
    const etags = new Set<string | null>();
    const previewTwice = async (): Promise<number> => {
      for (const response of [await preview(voice), await preview(voice)])
        etags.add(response.headers.get('etag'));
      return (await requests()).length;
    };
    expect(await previewTwice()).toBe(1);
    await account.send('PATCH', path, { name: 'Other', description: 'sounds the same' });
    expect(await previewTwice()).toBe(1);
    await account.send('PATCH', path, { definition: { provider1: { voiceId: 'v2' } } });
    expect(await previewTwice()).toBe(2);
    await account.send('PATCH', path, { primaryLanguage: 'fr' });
    expect(await previewTwice()).toBe(3);
    expect(etags.size).toBe(3);
    await setKeys({ provider1: 'another-key' });
    expect(errorOf(await preview(voice)).code).toBe('voice_error');
  });

  it('is deleted with the voice', async () => {
    await setKeys({ provider1: KEY });
    const voice = await add(provider1);
    await preview(voice);
    const key = `voice-previews/${voice.voiceId}`;
    expect(await harness.storage.stat(key)).not.toBeNull();
    await account.send('DELETE', `/api/voices/${voice.voiceId}`);
    expect((await preview(voice)).status).toBe(404);
    expect(await harness.storage.stat(key)).toBeNull();
  });

  it('reports that the account has no provider key', async () => {
    const refused = await preview(await add(provider1));
    expect([refused.status, errorOf(refused)]).toEqual([
      400,
      { detail: 'provider1: the account has no API key for provider1', code: 'voice_error' },
    ]);
  });

  it('returns the error of the provider about a key without the key', async () => {
    await setKeys({ provider1: 'a-bad-key-of-the-account' });
    const refused = await preview(await add(provider1));
    expect([refused.status, errorOf(refused)]).toEqual([
      400,
      { detail: 'provider1: status 401: Invalid API key', code: 'voice_error' },
    ]);
    expect(await preview(await add(provider1))).toMatchObject({ status: 400 });
  });

  it('reports a slow provider and works when the provider recovers', async () => {
    await setKeys({ provider1: KEY });
    const voice = await add(provider1);
    await standIns.control({ behaviour: 'slow', slowMs: 5000 });
    const refused = await preview(voice);
    expect([refused.status, errorOf(refused).code]).toEqual([400, 'voice_error']);
    expect(errorOf(refused).detail).toMatch(/^provider1: .*2500 ms/u);
    await standIns.control({ behaviour: 'slow', slowMs: 300 });
    expect((await preview(voice)).status).toBe(200);
  });

  it.each(['error', 'late_error', 'cut', 'stall', 'garbage', 'empty', 'refuse'] as const)(
    'reports an error when the provider fails: %s',
    async (behaviour) => {
      await setKeys({ provider3: KEY });
      await standIns.control({ behaviour, errorStatus: 400, errorMessage: `no voice ${KEY}` });
      const refused = await preview(await add({ provider3: { voiceId: 'v' } }));
      expect([refused.status, errorOf(refused).code]).toEqual([400, 'voice_error']);
      expect(errorOf(refused).detail).toMatch(/^provider3: /u);
      expect(errorOf(refused).detail).not.toContain(KEY);
    },
  );

  it('reports a voice definition that the provider rejects', async () => {
    await setKeys({ provider1: KEY });
    const refused = await preview(await add({ provider1: { voiceId: 'v1', stability: 7 } }));
    expect(refused.status).toBe(400);
    expect(errorOf(refused)).toMatchObject({
      code: 'voice_error',
      detail: expect.stringContaining('stability'),
    });
    expect(await requests()).toEqual([]);
  });
});

describe('the preview of a voice that is not in the catalogue', () => {
  it('is generated through every provider transport', async () => {
    await setKeys({ provider1: KEY, provider4: serviceAccount.keyJson, provider5: KEY });
    for (const definition of [
      provider1,
      { provider4: { voiceId: 'de-DE-Chirp3-HD-Kore' } },
      { provider5: { voiceId: 'v5' } },
      {
        generic: {
          url: `${standIns.httpUrl}/speak`,
          headers: { 'X-Key': KEY },
          body: { say: { words: '{text}' }, rateHz: 16_000 },
        },
      },
    ]) {
      const response = await draft({ name: 'Draft', primaryLanguage: 'de', definition });
      expect([definition, response.status]).toEqual([definition, 200]);
      expect(measure(response).durationS).toBeCloseTo(GERMAN.length * 0.06, 1);
      expect(measure(response).levelDb).toBeGreaterThan(-40);
    }
  });

  it('reports provider errors', async () => {
    const headers = { 'X-Key': 'a wrong key of the customer' };
    const refused = await draft({
      name: 'Draft',
      definition: { generic: { url: `${standIns.httpUrl}/speak`, headers } },
    });
    expect([refused.status, errorOf(refused)]).toEqual([
      400,
      { detail: 'generic: status 401: Invalid API key', code: 'voice_error' },
    ]);
  });

  it('is rejected when the voice is invalid', async () => {
    for (const [body, path] of [
      [{ name: 'x', definition: {} }, 'definition'],
      [{ definition: provider1 }, 'name'],
      [{ name: 'x', primaryLanguage: 'x', definition: provider1 }, 'primaryLanguage'],
      [{ name: 'x', definition: { generic: { url: 'http://10.0.0.1/' } } }, 'definition.generic.url'],
    ] as const) {
      const refused = errorOf(await draft(body));
      expect([refused.code, refused.errors![0]!.path]).toEqual(['validation_failed', path]);
    }
  });

  it('is rate-limited per account', async () => {
    const other = await harness.account();
    await setKeys({ provider1: KEY });
    await standIns.control({ behaviour: 'slow', slowMs: 700 });
    const body = { name: 'Draft', definition: provider1 };
    const mine = Promise.all(Array.from({ length: 6 }, () => draft(body)));
    const theirs = draft(body, other);
    const statuses = (await mine).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect(errorOf(await theirs).detail).toContain('no API key');
    const refused = (await mine).find(({ status }) => status === 429)!;
    expect(errorOf(refused).code).toBe('concurrency');
    expect(refused.headers.get('retry-after')).toBe('1');
    await standIns.control();
    expect((await draft(body)).status).toBe(200);
  });
});
