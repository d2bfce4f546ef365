import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { describeProviders } from './describe-providers.ts';
import { readProviderConfig, transcriptionLimitMs, type ProviderConfig } from './provider-config.ts';

function read(env: Record<string, string>): ProviderConfig {
  const reader = new EnvReader(env);
  const config = readProviderConfig(reader);
  reader.finish();
  return config;
}

describe('readProviderConfig', () => {
  it('chooses the embedded engines where nothing is set', () => {
    expect(read({})).toEqual({
      speechToText: null,
      speechToTextStream: null,
      speechToTextFallbacks: [],
      languageModel: null,
      languageModelFallback: null,
      textToSpeech: null,
      providerUrls: expect.objectContaining({ provider7: 'https://api.play.ht' }),
      outbound: { allowPrivateNetworks: false, nameServers: null },
      speechModelDir: null,
      limits: {
        sttTimeoutMs: 5000,
        sttFallbackTimeoutMs: 1500,
        llmFirstTokenTimeoutMs: 8000,
        llmGapTimeoutMs: 5000,
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
      STT_BASE_URL: 'https://stt.example/v1',
      STT_API_KEY: 'k',
      TTS_BASE_URL: 'https://tts.example/v1',
      TTS_VOICES: 'alloy:en-US, nova ,af_heart:pt',
      STT_TIMEOUT_MS: '900',
    });
    expect(config.languageModel).toEqual({
      baseUrl: 'http://localhost:11434/v1',
      apiKey: null,
      model: 'qwen3',
      hearsAudio: true,
    });
    expect(config.speechToText).toEqual({
      baseUrl: 'https://stt.example/v1',
      apiKey: 'k',
      model: 'whisper-1',
    });
    expect(config.textToSpeech?.voices).toEqual([
      { voice: 'alloy', language: 'en-US' },
      { voice: 'nova', language: null },
      { voice: 'af_heart', language: 'pt' },
    ]);
    expect(config.limits.sttTimeoutMs).toBe(900);
  });

  it('reads a streaming endpoint besides the other, by any name of its protocol', () => {
    const stream = { STT_STREAM_BASE_URL: 'wss://stt.example/v1', STT_STREAM_API_KEY: 'k' };
    const config = read({ ...stream, STT_BASE_URL: 'http://localhost:8000/v1' });
    expect(config.speechToTextStream).toEqual({
      baseUrl: 'wss://stt.example/v1',
      apiKey: 'k',
      model: 'nova-3',
    });
    expect(config.speechToText?.baseUrl).toBe('http://localhost:8000/v1');
    expect(describeProviders(config)[0]).toBe('speech to text: nova-3 at wss://stt.example/v1 (streaming)');
    expect(read({ STT_STREAM_BASE_URL: 'http://localhost:1/v1' }).limits.sttTimeoutMs).toBe(2000);
    expect(() => read({ STT_BASE_URL: 'ws://localhost:1/v1' })).toThrow('STT_BASE_URL');
  });

  it('reads who takes over, in order, and leaves the ones before them less time', () => {
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
    expect(config.languageModelFallback).toEqual({
      baseUrl: 'https://llm.example/v1',
      apiKey: 'k',
      model: 'small',
      hearsAudio: false,
    });
    expect(config.speechToTextFallbacks).toEqual([
      { baseUrl: 'https://other.example/v1', apiKey: null, model: 'whisper-1' },
      'local',
    ]);
    expect(config.limits).toMatchObject({ sttTimeoutMs: 1200, llmFirstTokenTimeoutMs: 4000 });
    expect(transcriptionLimitMs(config)).toBe(1200 + 2 * 1500);
  });

  it('takes no fallback for what the system has anyway', () => {
    const faults = { STT_FALLBACK: 'local', LLM_FALLBACK_BASE_URL: 'http://llm/v1', LLM_FALLBACK_MODEL: 'm' };
    for (const name of ['STT_FALLBACK ', 'LLM_FALLBACK_BASE_URL ']) expect(() => read(faults)).toThrow(name);
  });

  it('reads where the providers are', () => {
    const { providerUrls } = read({ TTS_PROVIDER4_BASE_URL: 'http://127.0.0.1:9000' });
    expect(providerUrls.provider4).toBe('http://127.0.0.1:9000');
    expect(new Set(Object.values(providerUrls)).size).toBe(7);
  });

  it('gives an endpoint for speech less time than an engine on this machine', () => {
    expect(read({ STT_BASE_URL: 'http://localhost:8000/v1' }).limits.sttTimeoutMs).toBe(2000);
    expect(read({ STT_TIMEOUT_MS: '300' }).limits.sttTimeoutMs).toBe(300);
  });

  it('names every fault at once', () => {
    const faults = {
      LLM_BASE_URL: 'localhost:11434',
      TTS_BASE_URL: 'http://tts.example/v1',
      TTS_VOICES: 'alloy:english-',
      LLM_GAP_TIMEOUT_MS: '5s',
    };
    for (const name of ['LLM_BASE_URL', 'LLM_MODEL is required', 'TTS_VOICES', 'LLM_GAP_TIMEOUT_MS']) {
      expect(() => read(faults)).toThrow(name);
    }
  });
});
