import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiError } from '@calls/api-contract/rest/common';
import type { Voice } from '@calls/api-contract/rest/voice';
import { encodeWav } from '@calls/audio/wav';
import {
  ControlPlaneHarness,
  type ApiResponse,
  type TestAccount,
} from '../../support/control-plane-harness.ts';
import { createServiceAccount } from '../../support/tts-stand-ins/account.ts';
import { startTtsStandIns } from '../../support/tts-stand-ins/start-tts-stand-ins.ts';

const KEY = 'key-of-the-account-at-its-provider';
const PATH = '/api/voices';
const WAV = Buffer.from(encodeWav(new Int16Array(800).fill(7), 8000));
// Sends the same type as curl, which does not know the types of most files.
const file = new Blob([WAV], { type: 'application/octet-stream' });

let account: TestAccount;

const { publicKeyPem } = createServiceAccount();
const standIns = await startTtsStandIns({ apiKey: KEY, publicKeyPem });
const harness = await ControlPlaneHarness.start({
  env: { TTS_PROVIDER1_BASE_URL: standIns.httpUrl, TTS_PROVIDER2_BASE_URL: standIns.httpUrl },
});
afterAll(async () => {
  await standIns[Symbol.asyncDispose]();
  await harness.stop();
});
beforeEach(async () => {
  account = await harness.account();
  await standIns.control();
});

function upload<T = ApiError>(parts: Record<string, string | Blob>): Promise<ApiResponse<T>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value);
  return account.request<T>(PATH, { method: 'POST', body: form });
}
const setKeys = (keys: object) => account.send('PATCH', '/api/accounts/me/tts_api_keys', keys);
const own = async () => (await account.list<Voice>(`${PATH}?ownership=private`)).results;
const requests = async () => (await standIns.report()).requests;

describe('voice cloning from a sample', () => {
  it('creates the voice at ElevenLabs and adds it to the account', async () => {
    await setKeys({ provider1: KEY, provider2: KEY });
    const parts = { file, name: 'Me "ü"', description: 'my voice', language: 'de-AT' };
    const created = await upload<Voice>(parts);
    expect(created).toMatchObject({
      status: 201,
      body: {
        description: parts.description,
        primaryLanguage: 'de-AT',
        ownership: 'private',
        provider: 'provider1',
        definition: { provider1: { voiceId: 'c38kUX8pkfYO2kHyqfFy' } },
      },
    });
    expect(await own()).toEqual([created.body]);
    const [request, ...others] = await requests();
    expect(others).toEqual([]);
    expect(request).toMatchObject({ path: '/v1/voices/add', headers: { 'xi-api-key': KEY } });
    expect(request!.asked).toEqual({
      name: created.body.name,
      description: parts.description,
      labels: '{"language":"de"}',
      files: { name: 'sample.wav', type: 'audio/wav', base64: WAV.toString('base64') },
    });
  });

  it('uses Cartesia when it is selected or when the account has only its key', async () => {
    await setKeys({ provider1: KEY, provider2: KEY });
    const chosen = await upload<Voice>({ file, name: 'Me', provider: 'provider2' });
    await setKeys({ provider1: null });
    const only = await upload<Voice>({ file, name: 'Me', language: 'fr-CA' });
    for (const { status, body } of [chosen, only]) {
      expect([status, body.definition]).toEqual([
        201,
        { provider2: { voiceId: '5d9e1a1e-6f3c-4b0e-9a52-0c1f2f3a4b5c' } },
      ]);
    }
    expect(chosen.body.primaryLanguage).toBe('en');
    const clip = { name: 'sample.wav', type: 'audio/wav', base64: WAV.toString('base64') };
    expect((await requests()).map(({ path, asked }) => ({ path, asked }))).toEqual([
      { path: '/voices/clone', asked: { name: 'Me', language: 'en', clip } },
      { path: '/voices/clone', asked: { name: 'Me', language: 'fr', clip } },
    ]);
  });

  it('requires the key of a provider that clones voices and names the missing keys', async () => {
    await setKeys({ provider2: KEY, provider3: KEY });
    const refused = await upload({ file, name: 'Me', provider: 'provider1' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'provider_key_missing' } });
    expect(refused.body.detail).toMatch(/ElevenLabs \(provider1\),.*\/api\/accounts\/me\/tts_api_keys/u);
    await setKeys({ provider2: null });
    expect((await upload({ file, name: 'Me' })).body.detail).toContain('or Cartesia (provider2)');
    expect(await requests()).toEqual([]);
  });

  it('validates the form before any request to a provider', async () => {
    const pathsOf = async (parts: Record<string, string | Blob>) =>
      (await upload(parts)).body.errors!.map(({ path }) => path);
    expect(await pathsOf({ file })).toEqual(['name']);
    expect(await pathsOf({ name: 'Me' })).toEqual(['file']);
    expect(await pathsOf({ file: new Blob([]), name: 'Me' })).toEqual(['file']);
    expect(await pathsOf({ file: new Blob(['no audio'], { type: 'audio/wav' }), name: 'Me' })).toEqual([
      'file',
    ]);
    expect(await pathsOf({ file, name: 'x'.repeat(41), language: 'e' })).toEqual(['name', 'language']);
    expect(await pathsOf({ file, name: 'Me', provider: 'provider3' })).toEqual(['provider']);
    expect(await pathsOf({ file, name: 'Me', more: 'x' })).toEqual(['more']);
  });

  it('accepts recordings of up to 10 MiB', async () => {
    await setKeys({ provider1: KEY });
    const ofBytes = (bytes: number) => new Blob([WAV, new Uint8Array(bytes - WAV.length)]);
    expect(await upload({ file: ofBytes(9 * 1024 * 1024), name: 'Me' })).toMatchObject({ status: 201 });
    const refused = await upload({ file: ofBytes(10 * 1024 * 1024), name: 'Me' });
    expect(refused).toMatchObject({ status: 413, body: { code: 'too_large', errors: [{ path: 'file' }] } });
    // JSON bodies keep their limit.
    const json = await account.post(PATH, { name: 'x'.repeat(2 * 1024 * 1024) });
    expect(json).toMatchObject({ status: 413, body: { code: 'too_large' } });
  });

  it.each([
    ['provider1', 'refuse', {}, /^provider1: no response from/u],
    ['provider1', 'garbage', {}, /^provider1: a message does not follow the protocol$/u],
    ['provider1', 'error', { errorStatus: 422 }, /^provider1: status 422: no \[…\] left$/u],
    ['provider2', 'error', { errorStatus: 500 }, /^provider2: status 500: no \[…\] left$/u],
    ['provider2', 'refuse', {}, /^provider2: no response from/u],
  ] as const)(
    'reports that %s failed (%s) after one request and adds no voice',
    async (provider, behaviour, more, detail) => {
      await setKeys({ [provider]: KEY });
      // The first cloning leaves an idle connection, which must not be reused.
      await upload({ file, name: 'Before' });
      await standIns.control({ behaviour, errorMessage: `no ${KEY} left`, ...more });
      const refused = await upload({ file, name: 'Me', provider });
      expect(refused).toMatchObject({ status: 400, body: { code: 'voice_error' } });
      expect(refused.body.detail).toMatch(detail);
      expect((await requests()).length).toBe(1);
      expect((await own()).map(({ name }) => name)).toEqual(['Before']);
    },
  );

  it('reports that the provider rejected the key', async () => {
    await setKeys({ provider2: 'a-bad-key-of-the-account' });
    expect(await upload({ file, name: 'Me' })).toMatchObject({
      status: 400,
      body: { code: 'voice_error', detail: 'provider2: status 401: Invalid API key' },
    });
    expect(await own()).toEqual([]);
  });
});
