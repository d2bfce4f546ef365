import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import type { AccountTtsKeys } from '@calls/api-contract/rest/tts-keys';
import { omit } from '@calls/foundation/omit';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';
import { createServiceAccount } from '../../support/tts-stand-ins/account.ts';

let account: TestAccount;

const harness = await ControlPlaneHarness.start();
afterAll(() => harness.stop());
beforeEach(async () => {
  account = await harness.account();
});

const PATH = '/api/accounts/me/tts_api_keys';
const set = (keys: object) => account.send<AccountTtsKeys>('PATCH', PATH, keys);
const KEY = 'sk_0123456789abcdefghijklmnopqrstuvwxyz';

describe('TTS provider keys', () => {
  it('do not exist by default', async () => {
    const none = await account.request(PATH);
    expect([none.status, none.body]).toEqual([200, {}]);
  });

  it('are set, retained, replaced and deleted, and only their prefix is returned', async () => {
    const first = await set({ provider1: KEY, provider3: 'x'.repeat(16) });
    expect(first).toMatchObject({ status: 200 });
    expect(first.body).toEqual({ provider1: { prefix: 'sk_01234' }, provider3: { prefix: 'xxxx' } });
    expect((await set({})).body).toEqual(first.body);
    expect((await set({ provider1: null, provider3: 'y'.repeat(16), provider6: null })).body).toEqual({
      provider3: { prefix: 'yyyy' },
    });
    expect((await account.request(PATH)).body).toEqual({ provider3: { prefix: 'yyyy' } });
  });

  it.each([1, 2, 3, 5, 6, 7])('are accepted for provider%i', async (n) => {
    expect((await set({ [`provider${n}`]: KEY })).body).toEqual({ [`provider${n}`]: { prefix: 'sk_01234' } });
  });

  it('are service accounts for provider4, of which the key id is shown', async () => {
    const { keyJson } = createServiceAccount();
    const identified = { ...(JSON.parse(keyJson) as object), private_key_id: '0123456789abcdef'.repeat(2) };
    expect((await set({ provider4: JSON.stringify(identified) })).body).toEqual({
      provider4: { prefix: '01234567' },
    });
    const anonymous = omit(identified, 'private_key_id');
    expect((await set({ provider4: JSON.stringify(anonymous) })).body).toEqual({
      provider4: { prefix: 'speak' },
    });
  });

  it('are stored encrypted', async () => {
    const { keyJson } = createServiceAccount();
    await set({ provider1: KEY, provider4: keyJson });
    const { rows } = await harness.query(
      'select tts_api_keys::text as row from tts_api_keys where account_id = $1',
      account.accountId,
    );
    expect(rows.length).toBe(2);
    for (const { row } of rows) {
      expect(row).toContain('sealed:v1:');
      expect(row).not.toContain(KEY.slice(8));
      expect(row).not.toContain('PRIVATE KEY');
    }
  });

  it('are not accessible to other accounts', async () => {
    await set({ provider1: KEY });
    const other = await harness.account();
    expect((await other.request(PATH)).body).toEqual({});
    await other.send('PATCH', PATH, { provider1: null });
    expect((await account.request(PATH)).body).toEqual({ provider1: { prefix: 'sk_01234' } });
  });

  const elliptic = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  it.each([
    ['an empty key', { provider1: '' }],
    ['a key with a line break', { provider1: `${KEY}\n` }],
    ['a key that no header can carry', { provider1: 'ключ' }],
    ['a long key', { provider1: 'x'.repeat(513) }],
    ['a number', { provider1: 5 }],
    ['provider4 without JSON', { provider4: KEY }],
    ['provider4 without a private key', { provider4: JSON.stringify({ client_email: 'a@b.test' }) }],
    [
      'provider4 with an invalid private key',
      { provider4: JSON.stringify({ client_email: 'a@b.test', private_key: 'x' }) },
    ],
    [
      'provider4 with another kind of key',
      { provider4: JSON.stringify({ client_email: 'a@b.test', private_key: elliptic.privateKey }) },
    ],
    ['a provider that has none', { generic: KEY }],
  ])('are rejected: %s', async (_, keys) => {
    const [path] = Object.keys(keys);
    const refused = await account.send('PATCH', PATH, { provider2: KEY, ...keys });
    expect(refused.status).toBe(400);
    expect(refused.body.errors!.map((issue) => issue.path)).toEqual([path]);
    expect(JSON.stringify(refused.body)).not.toContain('PRIVATE');
    expect((await account.request(PATH)).body).toEqual({});
  });

  it('enable calls with voices of their provider', async () => {
    const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
    const call = (more: object) => account.post('/api/calls', { medium, ...more });
    const externalVoice = { provider2: { voiceId: 'v' } };
    const voice = await account.post('/api/voices', { name: 'Mine', definition: externalVoice });
    expect(voice.status).toBe(201);
    const message = 'needs a key for provider2, and the account has none';
    expect((await call({ externalVoice })).body.errors).toEqual([
      { path: 'externalVoice.provider2', message },
    ]);
    expect((await call({ voice: 'Mine' })).body.errors).toEqual([{ path: 'voice', message }]);
    await set({ provider2: KEY });
    expect((await call({ externalVoice })).status).toBe(201);
    expect((await call({ voice: 'Mine', voiceOverrides: { provider2: { speed: 1.2 } } })).status).toBe(201);
    expect((await call({ voice: 'Mine', voiceOverrides: { provider3: { speed: 1.2 } } })).status).toBe(400);
    await set({ provider2: null });
    expect((await call({ externalVoice })).status).toBe(400);
  });
});
