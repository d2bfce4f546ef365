import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Results } from '../support/made-up-vendors/main.ts';
import { startStandInProcess } from '../support/stand-in-process.ts';

const KEY = 'key-of-the-account-in-whisper-town';
const TOKEN = 'token-of-the-account';

const main = join(import.meta.dirname, '../support/made-up-vendors/main.ts');
const registering = await startStandInProcess<Results>(main, {
  ...(process.env as Record<string, string>),
  MADE_UP_KEY: KEY,
  MADE_UP_TOKEN: TOKEN,
});
const results = registering.ready;
afterAll(async () => {
  await registering[Symbol.asyncDispose]();
});

describe('a made-up text-to-speech vendor', () => {
  it('has its settings validated by the API', () => {
    expect(results.incomplete).toEqual([{ path: 'definition.provider99.voiceId', message: 'is required' }]);
    expect(results.added).toBe(201);
  });

  it('requires a key, which is stored encrypted and returned as its prefix', () => {
    expect(results.keyless).toEqual([
      { path: 'externalVoice.provider99', message: 'needs a key for provider99, and the account has none' },
    ]);
    expect(results.keys).toEqual({ provider99: { prefix: 'key-of-t' } });
    expect(results.storedKeys).toHaveLength(1);
    expect(JSON.stringify(results.storedKeys)).not.toContain(KEY);
    expect(results.call).toBe(201);
  });

  it('rejects overrides of fields that affect the price', () => {
    expect(results.overridden).toContainEqual({
      path: 'voiceOverrides.provider99.voiceId',
      message: 'must not be overridden, because it affects the price',
    });
  });

  it('speaks with the provider key of the account', () => {
    expect(results.speech.durationMs).toBeGreaterThanOrEqual(500);
    expect(results.speech.peak).toBeGreaterThan(7000);
  });

  it('has a form in the console', () => {
    expect(results.form).toEqual([
      { path: 'voiceId', label: 'Voice id', kind: 'text', isMain: true },
      { path: 'warmth', label: 'Warmth', kind: 'number', isMain: false },
    ]);
  });
});

describe('a made-up telephony vendor', () => {
  it('has its credentials validated, stored encrypted and returned without secrets', () => {
    expect(results.incompleteConfig).toEqual([{ path: 'stringToken', message: 'is required' }]);
    expect(results.config).toMatchObject({
      status: 201,
      body: { canId: 'can-1', stringTokenPrefix: { prefix: 'token' } },
    });
    expect(JSON.stringify(results.config)).not.toContain(TOKEN);
    expect(results.storedConfigs).toHaveLength(1);
    expect(JSON.stringify(results.storedConfigs)).not.toContain(TOKEN);
  });

  it('can run a call over its media stream', () => {
    expect(results.phoneCall.status).toBe(201);
    expect(results.phoneCall.joinUrl).not.toContain('?token=');
  });
});
