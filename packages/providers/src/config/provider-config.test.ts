import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { openAiCompatible as openAiCompatibleLlm } from '../llm/openai-compatible/vendor.ts';
import { deepgram } from '../stt/deepgram/vendor.ts';
import { openAiCompatible } from '../stt/openai-compatible/vendor.ts';
import { KEYED_TTS_VENDORS } from '../tts/tts-vendors.ts';
import { describeProviders } from './describe-providers.ts';
import { readProviderConfig, transcriptionLimitMs, type ProviderConfig } from './provider-config.ts';

function read(env: Record<string, string>): ProviderConfig {
  const reader = new EnvReader(env);
  const config = readProviderConfig(reader);
  reader.finish();
  return config;
}

describe('readProviderConfig', () => {
  it('selects the embedded engines by default', () => {
    expect(read({})).toEqual({
      speechToText: ['local'],
      languageModel: [],
      textToSpeech: null,
      providerUrls: expect.objectContaining({ provider7: 'https://api.play.ht' }),
      outbound: { allowPrivateNetworks: false, nameServers: null },
      speechModelDir: null,
      limits: {
        sttConnectTimeoutMs: 1000,
        sttTimeoutMs: 5000,
        sttFallbackTimeoutMs: 1500,
        llmConnectTimeoutMs: 2000,
        llmFirstTokenTimeoutMs: 8000,
        llmGapTimeoutMs: 5000,
        ttsConnectTimeoutMs: 1000,
        ttsFirstAudioTimeoutMs: 2500,
        ttsGapTimeoutMs: 2500,
      },
    });
  });

  it('reads endpoints, voices with and without a language, and limits', () => {
    const config = read({
      LLM_BASE_URL: 'http://localhost:11434/v1',
      LLM_MODEL: 'qwen3',
      LLM_AUDIO_INPUT: 'true',
      LLM_EXTRA_BODY: '{"temperature": null, "reasoning_effort": "low"}',
      STT_BASE_URL: 'https://stt.example/v1',
      STT_API_KEY: 'k',
      TTS_BASE_URL: 'https://tts.example/v1',
      TTS_VOICES: 'alloy:en-US, nova ,af_heart:pt',
      STT_TIMEOUT_MS: '900',
    });
    const llm = {
      baseUrl: 'http://localhost:11434/v1',
      apiKey: null,
      model: 'qwen3',
      acceptsAudio: true,
      extraBody: { temperature: null, reasoning_effort: 'low' },
    };
    expect(config.languageModel).toEqual([{ vendor: openAiCompatibleLlm, endpoint: llm }]);
    const stt = { baseUrl: 'https://stt.example/v1', apiKey: 'k', model: 'whisper-1' };
    expect(config.speechToText).toEqual([{ vendor: openAiCompatible, endpoint: stt }]);
    expect(config.textToSpeech?.voices).toEqual([
      { voice: 'alloy', language: 'en-US' },
      { voice: 'nova', language: null },
      { voice: 'af_heart', language: 'pt' },
    ]);
    expect(config.limits.sttTimeoutMs).toBe(900);
  });

  it('uses the first configured vendor, with a URL of any of its protocols', () => {
    const stream = { STT_STREAM_BASE_URL: 'wss://stt.example/v1', STT_STREAM_API_KEY: 'k' };
    const config = read({ ...stream, STT_BASE_URL: 'http://localhost:8000/v1' });
    const endpoint = { baseUrl: 'wss://stt.example/v1', apiKey: 'k', model: 'nova-3' };
    expect(config.speechToText).toEqual([{ vendor: deepgram, endpoint }]);
    expect(describeProviders(config).speechToText).toBe('nova-3 at wss://stt.example/v1 (Deepgram)');
    expect(read({ STT_STREAM_BASE_URL: 'http://localhost:1/v1' }).limits.sttTimeoutMs).toBe(2000);
    expect(() => read({ STT_BASE_URL: 'ws://localhost:1/v1' })).toThrow('STT_BASE_URL');
  });

  it('reads fallbacks in order and shortens the timeouts of the engines before them', () => {
    const config = read({
      LLM_BASE_URL: 'http://localhost:11434/v1',
      LLM_MODEL: 'qwen3',
      LLM_FALLBACK_BASE_URL: 'https://llm.example/v1',
      LLM_FALLBACK_MODEL: 'small',
      LLM_FALLBACK_API_KEY: 'k',
      STT_BASE_URL: 'https://stt.example/v1',
      STT_FALLBACK_BASE_URL: 'https://other.example/v1',
      STT_FALLBACK: 'local',
    });
    const address = { baseUrl: 'https://llm.example/v1', apiKey: 'k', model: 'small' };
    const llm = { ...address, acceptsAudio: false, extraBody: {} };
    expect(config.languageModel[1]).toEqual({ vendor: openAiCompatibleLlm, endpoint: llm });
    const stt = { baseUrl: 'https://other.example/v1', apiKey: null, model: 'whisper-1' };
    expect(config.speechToText.slice(1)).toEqual([{ vendor: openAiCompatible, endpoint: stt }, 'local']);
    expect(config.limits).toMatchObject({ sttTimeoutMs: 1200, llmFirstTokenTimeoutMs: 4000 });
    expect(transcriptionLimitMs(config)).toBe(1200 + 2 * 1500);
  });

  it('rejects a fallback without a primary server', () => {
    const issues = {
      STT_FALLBACK: 'local',
      STT_FALLBACK_BASE_URL: 'http://stt/v1',
      LLM_FALLBACK_BASE_URL: 'http://llm/v1',
      LLM_FALLBACK_MODEL: 'm',
    };
    for (const issue of [
      /STT_FALLBACK needs .*STT_STREAM_BASE_URL or STT_BASE_URL/u,
      /STT_FALLBACK_BASE_URL needs .*STT_STREAM_BASE_URL or STT_BASE_URL/u,
      /LLM_FALLBACK_BASE_URL needs .*LLM_BASE_URL/u,
    ]) {
      expect(() => read(issues)).toThrow(issue);
    }
  });

  it('rejects a model and a key without the URL of the server', () => {
    const issues = { LLM_MODEL: 'qwen3', STT_API_KEY: 'k', TTS_API_KEY: 'k', LLM_FALLBACK_MODEL: 'm' };
    for (const name of Object.keys(issues)) {
      const needed = name.replace(/MODEL|API_KEY/u, 'BASE_URL');
      expect(() => read(issues)).toThrow(`${name} needs ${needed}`);
    }
  });

  it.each(['[]', '"a"', '{', 'none'])('rejects the extra fields %s of requests to the model', (fields) => {
    expect(() => read({ LLM_EXTRA_BODY: fields })).toThrow('LLM_EXTRA_BODY must be a JSON object');
  });

  it('reads the base URLs of the TTS providers', () => {
    const { providerUrls } = read({ TTS_PROVIDER4_BASE_URL: 'http://127.0.0.1:9000' });
    expect(providerUrls.provider4).toBe('http://127.0.0.1:9000');
    expect(new Set(Object.values(providerUrls)).size).toBe(KEYED_TTS_VENDORS.length);
  });

  it('uses a shorter default timeout for a speech-to-text endpoint than for the local engine', () => {
    expect(read({ STT_BASE_URL: 'http://localhost:8000/v1' }).limits.sttTimeoutMs).toBe(2000);
    expect(read({ STT_TIMEOUT_MS: '300' }).limits.sttTimeoutMs).toBe(300);
  });

  it('reports all issues together', () => {
    const issues = {
      LLM_BASE_URL: 'localhost:11434',
      TTS_BASE_URL: 'http://tts.example/v1',
      TTS_VOICES: 'alloy:english-',
      LLM_GAP_TIMEOUT_MS: '5s',
    };
    for (const name of ['LLM_BASE_URL', 'LLM_MODEL is required', 'TTS_VOICES', 'LLM_GAP_TIMEOUT_MS']) {
      expect(() => read(issues)).toThrow(name);
    }
  });
});
