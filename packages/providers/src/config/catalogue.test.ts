import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { VoiceSelection } from '@calls/api-contract/call-spec';
import { Voice } from '@calls/api-contract/rest/voice';
import { compileValidator } from '@calls/api-contract/validation/validator';
import { EnvReader } from '@calls/foundation/env-reader';
import { catalogueVoices, LOCAL_FALLBACK_VOICE } from './catalogue.ts';
import { describeProviders } from './describe-providers.ts';
import { readProviderConfig } from './provider-config.ts';

const EMBEDDED = readProviderConfig(new EnvReader({}));
const REMOTE = readProviderConfig(
  new EnvReader({
    TTS_BASE_URL: 'https://user:password@tts.example/v1',
    TTS_VOICES: 'af_heart:pt-BR,nova,af-heart,AF_Heart,nova,声',
    LLM_BASE_URL: 'http://localhost:11434/v1',
    LLM_MODEL: 'qwen3',
  }),
);

describe('catalogueVoices', () => {
  it('has unique keys and fits the catalogue', () => {
    const voices = catalogueVoices(REMOTE);
    expect(new Set(voices.map(({ key }) => key)).size).toBe(voices.length);
    const selection = compileValidator('selection', VoiceSelection);
    const shown = compileValidator('voice', Voice.Response);
    for (const { key, engine, settings, ...rest } of voices) {
      expect(key).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(selection.issues({ engine, settings })).toEqual([]);
      const row = {
        ...rest,
        voiceId: '018f6a2e-0000-7000-8000-000000000000',
        previewUrl: 'http://localhost/preview',
        ownership: 'public',
        billingStyle: 'VOICE_BILLING_STYLE_INCLUDED',
        provider: null,
        definition: {},
      };
      expect(shown.issues(row)).toEqual([]);
    }
  });

  it('begins with the voices of the endpoint where there is one, and always has the embedded ones', () => {
    expect(catalogueVoices(REMOTE).slice(0, 2)).toMatchObject([
      {
        key: expect.stringMatching(/^openai-compatible-af-heart-[0-9a-f]{8}$/),
        languageLabel: 'Portuguese (Brazil)',
        settings: { voice: 'af_heart' },
      },
      { key: 'openai-compatible-nova', primaryLanguage: null, languageLabel: null },
    ]);
    const embedded = catalogueVoices(EMBEDDED);
    expect(catalogueVoices(REMOTE).slice(5)).toEqual(embedded);
    expect(embedded[0]).toMatchObject(LOCAL_FALLBACK_VOICE);
    expect(embedded[0]?.primaryLanguage).toBe('en-US');
  });
});

describe('describeProviders', () => {
  it('names what plays each role, and no password', () => {
    expect(describeProviders(EMBEDDED)).toEqual([
      'speech to text: pocketsphinx (local)',
      'language model: svc-v0.7 is svc-local (small and scripted) until LLM_BASE_URL is set',
      'text to speech: espeak-ng (local)',
    ]);
    expect(describeProviders(REMOTE)).toEqual([
      'speech to text: pocketsphinx (local)',
      'language model: svc-v0.7 is qwen3 at http://localhost:11434/v1',
      'text to speech: tts-1 at https://tts.example/v1, espeak-ng (local)',
    ]);
    const withFallbacks = {
      LLM_BASE_URL: 'http://a/v1',
      LLM_MODEL: 'm',
      LLM_FALLBACK_BASE_URL: 'http://user:password@b/v1',
      LLM_FALLBACK_MODEL: 'n',
      STT_BASE_URL: 'http://c/v1',
      STT_FALLBACK: 'local',
    };
    expect(describeProviders(readProviderConfig(new EnvReader(withFallbacks))).slice(0, 2)).toEqual([
      'speech to text: whisper-1 at http://c/v1, else pocketsphinx (local)',
      'language model: svc-v0.7 is m at http://a/v1, else n at http://b/v1',
    ]);
  });
});

describe('with models that the user has fetched', () => {
  const dir = mkdtempSync(join(tmpdir(), 'models-'));
  const config = readProviderConfig(new EnvReader({ SPEECH_MODEL_DIR: dir }));
  afterAll(() => rmSync(dir, { recursive: true }));

  it('says where it looked, then names what is there and lists its voices before the embedded ones', () => {
    expect(describeProviders(config)[0]).toBe(`speech to text: pocketsphinx (local; no model in ${dir}/stt)`);
    mkdirSync(join(dir, 'tts', 'vits-piper-de_DE-thorsten-low'), { recursive: true });
    mkdirSync(join(dir, 'stt'));
    writeFileSync(join(dir, 'stt', 'model.onnx'), '');
    const [stt, , tts] = describeProviders(config);
    expect(stt).toBe(`speech to text: sherpa-onnx (local, ${dir}/stt)`);
    expect(tts).toBe(`text to speech: sherpa-onnx (local, 1 in ${dir}/tts), espeak-ng (local)`);
    expect(catalogueVoices(config).slice(0, 2)).toMatchObject([
      {
        engine: 'sherpa-onnx',
        primaryLanguage: 'de-DE',
        settings: { voice: 'vits-piper-de_DE-thorsten-low' },
      },
      LOCAL_FALLBACK_VOICE,
    ]);
  });
});
