import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { summarizeEngines } from './engines.ts';

describe('summarizeEngines', () => {
  it('says that svc-v0.7 is the scripted model until an endpoint is configured', () => {
    const engines = summarizeEngines(new EnvReader({}));
    expect(engines.languageModel).toMatch(/^svc-local.*svc-v0\.7 maps to it/);
    expect(engines.speechToText).toBe('pocketsphinx (local)');
    expect(engines.textToSpeech).toBe('espeak-ng (local)');
  });

  it('names the configured endpoints, and no key', () => {
    const engines = summarizeEngines(
      new EnvReader({
        LLM_BASE_URL: 'http://llm:1/v1',
        LLM_MODEL: 'qwen',
        LLM_API_KEY: 'sk-1',
        STT_BASE_URL: 'http://stt:2/v1',
        TTS_BASE_URL: 'http://tts:3/v1',
        TTS_MODEL: 'kokoro',
      }),
    );
    expect(engines).toEqual({
      languageModel: 'qwen at http://llm:1/v1',
      speechToText: 'default model at http://stt:2/v1',
      textToSpeech: 'kokoro at http://tts:3/v1',
    });
  });

  it('names who takes over', () => {
    const engines = summarizeEngines(
      new EnvReader({
        LLM_BASE_URL: 'http://llm:1/v1',
        LLM_MODEL: 'large',
        LLM_FALLBACK_BASE_URL: 'http://llm:2/v1',
        LLM_FALLBACK_MODEL: 'small',
        STT_STREAM_BASE_URL: 'wss://stt/v1',
        STT_STREAM_MODEL: 'live',
        STT_FALLBACK: 'local',
      }),
    );
    expect(engines).toMatchObject({
      languageModel: 'large at http://llm:1/v1, else small at http://llm:2/v1',
      speechToText: 'live at wss://stt/v1, else pocketsphinx (local)',
    });
  });
});
