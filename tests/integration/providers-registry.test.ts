import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { VoiceSelection } from '@calls/api-contract/call-spec';
import { Voice } from '@calls/api-contract/rest/voice';
import type { SpeechChunk } from '@calls/engine-ports/text-to-speech';
import { systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { compileValidator } from '@calls/foundation/schema/validator';
import { catalogueVoices, LOCAL_FALLBACK_VOICE } from '@calls/providers/config/catalogue';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { createProviders, type ProviderDeps } from '@calls/providers/registry';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { collect } from '@calls/testkit/collect';
import { SentenceSource } from '@calls/testkit/conformance/sentence-source';
import { LONG_ENGINE_LIMITS_ENV } from '../support/lifted-limits.ts';

const SIGNAL = new AbortController().signal;
const MESSAGES = [
  { role: 'system', content: 'You are a receptionist.' },
  { role: 'user', content: 'Are you there?' },
] as const;

const configured = (env: Record<string, string>) =>
  readProviderConfig(new EnvReader({ ...LONG_ENGINE_LIMITS_ENV, ...env }));
const PARTS = { clock: systemClock, log: silentLogger };

const audioMs = (chunks: readonly SpeechChunk[]): number =>
  chunks.reduce(
    (ms, chunk) => ms + (chunk.type === 'audio' ? (chunk.samples.length * 1000) / chunk.sampleRateHz : 0),
    0,
  );

describe('createProviders', () => {
  it('uses the embedded engines by default', async () => {
    await using providers = createProviders(configured({}), PARTS);
    for (const model of providers.modelNames) {
      const chunks = await collect(
        providers.languageModel.respond({ model, messages: MESSAGES, temperature: 0 }, SIGNAL),
      );
      expect(chunks.filter((chunk) => chunk.type === 'text').length).toBeGreaterThan(1);
    }
    const spoken = await collect(
      providers.textToSpeech.synthesize(
        SentenceSource.of(['Good morning to you.']),
        { voice: LOCAL_FALLBACK_VOICE, languageHint: null },
        SIGNAL,
      ),
    );
    expect(audioMs(spoken)).toBeGreaterThan(500);
    const stream = providers.speechToText.open({ languageHint: 'en' }, SIGNAL);
    await expect(stream.finalize()).resolves.toEqual({ text: '' });
    stream.close();
  });

  it('uses configured endpoints and retains the embedded voices', async () => {
    await using standIn = await startAiStandIn({ apiKey: 'k' });
    const endpointOf = (role: string) => ({
      [`${role}_BASE_URL`]: standIn.baseUrl,
      [`${role}_API_KEY`]: 'k',
    });
    const config = configured({
      ...endpointOf('STT'),
      ...endpointOf('LLM'),
      ...endpointOf('TTS'),
      LLM_MODEL: 'my-model',
      TTS_MODEL: 'my-voices',
      TTS_VOICES: 'nova:en',
    });
    await using providers = createProviders(config, PARTS);
    const [voice] = catalogueVoices(config);
    if (!voice) throw new Error('the catalogue is empty');
    await collect(
      providers.languageModel.respond({ model: 'svc-v0.7', messages: MESSAGES, temperature: 0 }, SIGNAL),
    );
    await collect(
      providers.textToSpeech.synthesize(SentenceSource.of(['Hi.']), { voice, languageHint: null }, SIGNAL),
    );
    const stream = providers.speechToText.open({ languageHint: null }, SIGNAL);
    stream.push(new Int16Array(16_000).map((_, i) => (i % 40) * 500));
    await expect(stream.finalize()).resolves.toEqual({ text: 'hello there' });
    stream.close();
    const local = await collect(
      providers.languageModel.respond({ model: 'svc-local', messages: MESSAGES, temperature: 0 }, SIGNAL),
    );
    expect(local.length).toBeGreaterThan(1);
    expect(
      (await standIn.requests()).recent.map(({ role, asked }) => [role, asked['model'], asked['voice']]),
    ).toEqual([
      ['llm', 'my-model', undefined],
      ['tts', 'my-voices', 'nova'],
      ['stt', 'whisper-1', undefined],
    ]);
    const fallback = await collect(
      providers.textToSpeech.synthesize(
        SentenceSource.of(['Good morning to you.']),
        { voice: LOCAL_FALLBACK_VOICE, languageHint: null },
        SIGNAL,
      ),
    );
    expect(audioMs(fallback)).toBeGreaterThan(500);
  });

  it('uses the configured fallbacks, including local STT', async () => {
    await using failing = await startAiStandIn();
    await using standIn = await startAiStandIn({ apiKey: 'k' });
    await failing.control({ llm: { behaviour: 'error' }, stt: { behaviour: 'error' } });
    const config = configured({
      LLM_BASE_URL: failing.baseUrl,
      LLM_MODEL: 'large',
      LLM_FALLBACK_BASE_URL: standIn.baseUrl,
      LLM_FALLBACK_MODEL: 'small',
      LLM_FALLBACK_API_KEY: 'k',
      STT_BASE_URL: failing.baseUrl,
      STT_FALLBACK: 'local',
    });
    const fallbacks: unknown[] = [];
    const onEngineFailure: ProviderDeps['onEngineFailure'] = (role, { engine, next }) =>
      fallbacks.push([role, engine, next]);
    await using providers = createProviders(config, { ...PARTS, onEngineFailure });
    await collect(
      providers.languageModel.respond({ model: 'svc-v0.7', messages: MESSAGES, temperature: 0 }, SIGNAL),
    );
    expect((await standIn.requests()).recent.map(({ asked }) => asked['model'])).toEqual(['small']);
    const stream = providers.speechToText.open({ languageHint: 'en' }, SIGNAL);
    stream.push(new Int16Array(16_000));
    await expect(stream.finalize()).resolves.toEqual({ text: '' });
    stream.close();
    expect(fallbacks).toEqual([
      ['language_model', `large at ${failing.baseUrl}`, `small at ${standIn.baseUrl}`],
      ['speech_to_text', `whisper-1 at ${failing.baseUrl}`, 'local speech to text'],
    ]);
  });

  it('reports unknown engines and models as unavailable', async () => {
    await using providers = createProviders(configured({}), PARTS);
    const voice = { engine: 'provider9', settings: {} };
    await expect(
      collect(
        providers.textToSpeech.synthesize(SentenceSource.of(['Hi.']), { voice, languageHint: null }, SIGNAL),
      ),
    ).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(
      collect(
        providers.languageModel.respond({ model: 'gpt-9', messages: MESSAGES, temperature: 0 }, SIGNAL),
      ),
    ).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('starts with an unusable model and reports the problem when it is used', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'models-'));
    await mkdir(join(dir, 'stt'));
    await writeFile(join(dir, 'stt', 'model.onnx'), 'no model');
    await using providers = createProviders(configured({ SPEECH_MODEL_DIR: dir }), PARTS);
    const stream = providers.speechToText.open({ languageHint: null }, SIGNAL);
    stream.push(new Int16Array(16_000));
    await expect(stream.finalize()).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining(dir),
    });
    stream.close();
    await rm(dir, { recursive: true });
  });
});

it('has catalogue voices that are valid in the API and in calls', () => {
  const selection = compileValidator('selection', VoiceSelection);
  const shown = compileValidator('voice', Voice.Response);
  const tts = { TTS_BASE_URL: 'https://tts.example/v1', TTS_VOICES: 'af_heart:pt-BR,nova,声' };
  for (const { key: _key, engine, settings, ...rest } of catalogueVoices(configured(tts))) {
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
