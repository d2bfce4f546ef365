import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { catalogueVoices, isScriptedModel, LOCAL_FALLBACK_VOICE, modelDisplayName } from './catalogue.ts';
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

const FLITE = { engine: 'flite', settings: { voice: 'slt' } };

describe('catalogueVoices', () => {
  it('has unique keys in kebab case', () => {
    const keys = catalogueVoices(REMOTE).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it('lists the voices of a configured endpoint first, and always the embedded voices', () => {
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
    expect(embedded.slice(0, 2)).toMatchObject([FLITE, LOCAL_FALLBACK_VOICE]);
    expect(embedded[0]?.primaryLanguage).toBe('en-US');
  });
});

describe('describeProviders', () => {
  it('names the engine of each role, without credentials', () => {
    expect(describeProviders(EMBEDDED)).toEqual({
      speechToText: 'moonshine (local)',
      languageModel: expect.stringMatching(
        /^svc-local \(local, a script\); svc-v0\.7 maps to it until .*LLM_BASE_URL is set$/u,
      ),
      textToSpeech: 'flite (local, English), espeak-ng (local)',
    });
    expect(describeProviders(REMOTE)).toEqual({
      speechToText: 'moonshine (local)',
      languageModel: 'qwen3 at http://localhost:11434/v1 (OpenAI-compatible)',
      textToSpeech: 'tts-1 at https://tts.example/v1, flite (local, English), espeak-ng (local)',
    });
    const withFallbacks = {
      LLM_BASE_URL: 'http://a/v1',
      LLM_MODEL: 'm',
      LLM_FALLBACK_BASE_URL: 'http://user:password@b/v1',
      LLM_FALLBACK_MODEL: 'n',
      STT_BASE_URL: 'http://c/v1',
      STT_FALLBACK: 'local',
    };
    expect(describeProviders(readProviderConfig(new EnvReader(withFallbacks)))).toMatchObject({
      speechToText: 'whisper-1 at http://c/v1 (OpenAI-compatible), else moonshine (local)',
      languageModel: 'm at http://a/v1 (OpenAI-compatible), else n at http://b/v1 (OpenAI-compatible)',
    });
  });
});

describe('isScriptedModel', () => {
  it('is true for the embedded model and, when no other model is configured, for the default model', () => {
    expect(isScriptedModel(EMBEDDED, 'svc-local')).toBe(true);
    expect(isScriptedModel(EMBEDDED, 'svc-v0.7')).toBe(true);
    expect(isScriptedModel(REMOTE, 'svc-local')).toBe(true);
    expect(isScriptedModel(REMOTE, 'svc-v0.7')).toBe(false);
  });
});

describe('modelDisplayName', () => {
  it('names the model that serves the calls', () => {
    expect(modelDisplayName(EMBEDDED, 'svc-v0.7')).toBe('Embedded script');
    expect(modelDisplayName(REMOTE, 'svc-v0.7')).toBe('qwen3');
    expect(modelDisplayName(REMOTE, 'svc-local')).toBe('Embedded script');
  });
});

describe('catalogue with local speech models', () => {
  const dir = mkdtempSync(join(tmpdir(), 'models-'));
  const config = readProviderConfig(new EnvReader({ SPEECH_MODEL_DIR: dir }));
  afterAll(() => rmSync(dir, { recursive: true }));

  it('reports the searched folder, then the models in it, and lists their voices before the embedded ones', () => {
    expect(describeProviders(config).speechToText).toBe(`moonshine (local; no model in ${dir}/stt)`);
    mkdirSync(join(dir, 'tts', 'vits-piper-de_DE-thorsten-low'), { recursive: true });
    mkdirSync(join(dir, 'stt'));
    writeFileSync(join(dir, 'stt', 'model.onnx'), '');
    expect(describeProviders(config)).toMatchObject({
      speechToText: `sherpa-onnx (local, model in ${dir}/stt)`,
      textToSpeech: `sherpa-onnx (local, 1 in ${dir}/tts), flite (local, English), espeak-ng (local)`,
    });
    expect(catalogueVoices(config).slice(0, 2)).toMatchObject([
      {
        engine: 'sherpa-onnx',
        primaryLanguage: 'de-DE',
        settings: { voice: 'vits-piper-de_DE-thorsten-low' },
      },
      FLITE,
    ]);
  });
});
