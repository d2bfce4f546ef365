import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SpeechChunk } from '@calls/engine-ports/text-to-speech';
import { systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { createProviders } from '@calls/providers/registry';
import { collect } from '@calls/testkit/collect';
import { SentenceSource } from '@calls/testkit/conformance/sentence-source';
import { eventually } from '../support/eventually.ts';
import { LONG_ENGINE_LIMITS_ENV } from '../support/lifted-limits.ts';
import { createServiceAccount } from '../support/tts-stand-ins/account.ts';
import type { SeenRequest } from '../support/tts-stand-ins/request-log.ts';
import { startTtsStandIns } from '../support/tts-stand-ins/start-tts-stand-ins.ts';

const API_KEY = 'key-of-the-test';
const account = createServiceAccount();

const standIns = await startTtsStandIns({ apiKey: API_KEY, publicKeyPem: account.publicKeyPem });
const urls = Object.fromEntries(
  [1, 2, 3, 4, 5, 6, 7].map((n) => [
    `TTS_PROVIDER${n}_BASE_URL`,
    n === 4 ? standIns.grpcUrl : standIns.httpUrl,
  ]),
);
const providers = createProviders(readProviderConfig(new EnvReader({ ...urls, ...LONG_ENGINE_LIMITS_ENV })), {
  clock: systemClock,
  log: silentLogger,
});
beforeEach(() => standIns.control());
afterAll(async () => {
  await providers[Symbol.asyncDispose]();
  await standIns[Symbol.asyncDispose]();
});

interface Speaking {
  settings: Record<string, unknown>;
  sentences?: readonly string[];
  languageHint?: string | null;
}

function start(engine: string, { settings, sentences = ['Good morning.'], languageHint = null }: Speaking) {
  const voice = { engine, settings: { apiKey: API_KEY, voiceId: 'v1', ...settings } };
  return providers.textToSpeech.synthesize(
    SentenceSource.of(sentences),
    { voice, languageHint },
    new AbortController().signal,
  );
}

/** Requests to the provider, one entry per sentence. */
async function asked(engine: string, speaking: Speaking): Promise<SeenRequest[]> {
  await collect(start(engine, speaking));
  return (await standIns.report()).requests;
}

const ratesOf = (chunks: readonly SpeechChunk[]): number[] => [
  ...new Set(chunks.flatMap((chunk) => (chunk.type === 'audio' ? [chunk.sampleRateHz] : []))),
];

describe('voice fields', () => {
  it('are sent to ElevenLabs', async () => {
    const settings = {
      voiceId: 'a/b',
      model: 'eleven_turbo_v2_5',
      speed: 1.1,
      useSpeakerBoost: false,
      style: 0.2,
      similarityBoost: 0.3,
      stability: 0.4,
      pronunciationDictionaries: [{ dictionaryId: 'd1', versionId: 'v1' }],
      optimizeStreamingLatency: 2,
      maxSampleRate: 16_000,
    };
    const voiceFields = {
      voice_settings: {
        stability: 0.4,
        similarity_boost: 0.3,
        style: 0.2,
        use_speaker_boost: false,
        speed: 1.1,
      },
      pronunciation_dictionary_locators: [{ pronunciation_dictionary_id: 'd1', version_id: 'v1' }],
    };
    const sentences = ['Good morning.', 'How are you?'];
    const [first, second] = await asked('provider1', { settings, sentences, languageHint: 'pt-BR' });
    const query = 'output_format=pcm_16000&optimize_streaming_latency=2';
    expect(first?.path).toBe(`/v1/text-to-speech/a%2Fb/stream/with-timestamps?${query}`);
    const shared = { model_id: 'eleven_turbo_v2_5', language_code: 'pt', ...voiceFields };
    expect(first?.asked).toEqual({ text: 'Good morning.', ...shared });
    expect(second?.asked).toEqual({ text: 'How are you?', previous_text: 'Good morning.', ...shared });

    await standIns.control();
    const [overSocket] = await asked('provider1', { settings: { ...settings, enableSsmlParsing: true } });
    const url = new URL(overSocket?.path ?? '', standIns.httpUrl);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      output_format: 'pcm_16000',
      optimize_streaming_latency: '2',
      model_id: 'eleven_turbo_v2_5',
      enable_ssml_parsing: 'true',
      sync_alignment: 'true',
      auto_mode: 'true',
    });
    expect(overSocket?.asked).toEqual({ first: { text: ' ', ...voiceFields }, text: 'Good morning.' });
    expect(ratesOf(await collect(start('provider1', { settings })))).toEqual([16_000]);
  });

  it.each([
    [undefined, 24_000],
    [44_100, 44_100],
    [20_000, 16_000],
    [9000, 8000],
  ])('ElevenLabs: maxSampleRate %s requests audio at %s Hz', async (maxSampleRate, rateHz) => {
    expect(ratesOf(await collect(start('provider1', { settings: { maxSampleRate } })))).toEqual([rateHz]);
  });

  it('are sent to Cartesia, without controls to models that have none', async () => {
    const settings = {
      model: 'sonic-3',
      speed: 0.9,
      emotions: ['calm', 'sad'],
      generationConfig: { volume: 1.5, emotion: 'angry', pronunciationDictId: 'p1' },
    };
    const output_format = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 };
    const [newer] = await asked('provider2', { settings, languageHint: 'de-AT' });
    expect(newer?.asked).toEqual({
      model_id: 'sonic-3',
      transcript: 'Good morning.',
      voice: { mode: 'id', id: 'v1' },
      language: 'de',
      output_format,
      add_timestamps: true,
      generation_config: { volume: 1.5, speed: 0.9, emotion: 'angry' },
      pronunciation_dict_id: 'p1',
    });
    await standIns.control();
    const older = { model: 'sonic-2', speed: -0.3, emotion: 'anger:high', emotions: ['sadness'] };
    const [request] = await asked('provider2', { settings: older });
    expect(request?.asked).toEqual({
      model_id: 'sonic-2',
      transcript: 'Good morning.',
      voice: { mode: 'id', id: 'v1' },
      output_format,
      add_timestamps: true,
    });
  });

  it('are sent to LMNT, without those that its API no longer has', async () => {
    const settings = { model: 'blizzard', speed: 1.5, conversational: true };
    const [request] = await asked('provider3', { settings, languageHint: 'fr-CA' });
    expect(request?.asked).toEqual({
      voice: 'v1',
      text: 'Good morning.',
      model: 'blizzard',
      language: 'fr',
      format: 'pcm_s16le',
      sample_rate: 24_000,
    });
    await standIns.control();
    const [other] = await asked('provider3', { settings: {}, languageHint: 'is' });
    expect(other?.asked).not.toHaveProperty('language');
  });

  it('are sent to Google Cloud by the method of the voice', async () => {
    const customPronunciations = [
      { phrase: '朝阳', phoneticEncoding: 'PHONETIC_ENCODING_PINYIN', pronunciation: 'chao2 yang2' },
      { phrase: 'Ada', pronunciation: 'ˈeɪdə' },
    ];
    const pronunciations = [
      customPronunciations[0],
      { ...customPronunciations[1], phoneticEncoding: 'PHONETIC_ENCODING_IPA' },
    ];
    const settings = {
      apiKey: account.keyJson,
      voiceId: 'cmn-CN-Chirp3-HD-Kore',
      speakingRate: 1.25,
      customPronunciations,
    };
    const [streamed] = await asked('provider4', { settings, languageHint: 'en-US' });
    expect(streamed).toMatchObject({
      path: 'StreamingSynthesize',
      asked: {
        text: 'Good morning.',
        config: {
          voice: { languageCode: 'cmn-CN', name: 'cmn-CN-Chirp3-HD-Kore' },
          customPronunciations: { pronunciations },
          streamingAudioConfig: { audioEncoding: 'PCM', sampleRateHertz: 24_000, speakingRate: 1.25 },
        },
      },
    });
    await standIns.control();
    const [whole] = await asked('provider4', { settings: { ...settings, voiceId: 'en-GB-Neural2-A' } });
    expect(whole).toMatchObject({
      path: 'SynthesizeSpeech',
      asked: {
        input: { text: 'Good morning.', customPronunciations: { pronunciations } },
        voice: { languageCode: 'en-GB', name: 'en-GB-Neural2-A' },
        audioConfig: { audioEncoding: 'LINEAR16', sampleRateHertz: 24_000, speakingRate: 1.25 },
      },
    });
  });

  it('are sent to Inworld, with long sentences in several messages', async () => {
    const settings = {
      modelId: 'inworld-tts-2',
      speakingRate: 1.2,
      temperature: 0.7,
      applyTextNormalization: false,
      deliveryMode: 'DELIVERY_MODE_CREATIVE',
      pronunciationDictionaryIds: ['d1'],
    };
    const long = 'word '.repeat(250).trim();
    const [short, whole] = await asked('provider5', {
      settings,
      sentences: ['Good morning.', long],
      languageHint: 'es-MX',
    });
    expect(short?.asked).toEqual({
      text: 'Good morning.',
      create: {
        voiceId: 'v1',
        modelId: 'inworld-tts-2',
        audioConfig: { audioEncoding: 'PCM', sampleRateHertz: 24_000, speakingRate: 1.2 },
        temperature: 0.7,
        applyTextNormalization: 'OFF',
        deliveryMode: 'CREATIVE',
        pronunciationDictionaryIds: ['d1'],
        language: 'es-MX',
        timestampType: 'WORD',
        timestampTransportStrategy: 'ASYNC',
      },
    });
    expect(whole?.asked).toMatchObject({ text: long });
  });

  it('are sent to Respeecher, with the model in the URL', async () => {
    const settings = {
      model: '/public/tts/ua-rt',
      seed: 7,
      temperature: 0.8,
      topK: 40,
      topP: 0.9,
      minP: 0.05,
      presencePenalty: 0.1,
      repetitionPenalty: 1.2,
      frequencyPenalty: 0.3,
    };
    const [request] = await asked('provider6', { settings });
    expect(request).toMatchObject({
      path: '/v1/public/tts/ua-rt/tts/websocket',
      headers: { 'x-api-key': API_KEY },
    });
    expect(request?.asked).toEqual({
      context_id: 'sentence-1',
      transcript: 'Good morning.',
      continue: false,
      voice: {
        id: 'v1',
        sampling_params: {
          seed: 7,
          temperature: 0.8,
          top_k: 40,
          top_p: 0.9,
          min_p: 0.05,
          presence_penalty: 0.1,
          repetition_penalty: 1.2,
          frequency_penalty: 0.3,
        },
      },
      output_format: { encoding: 'pcm_s16le', sample_rate: 24_000 },
    });
  });

  it('are sent to PlayHT', async () => {
    const settings = {
      userId: 'user-7',
      model: 'PlayDialog',
      speed: 1.1,
      quality: 'premium',
      temperature: 0.5,
      emotion: 'female_happy',
      voiceGuidance: 3,
      styleGuidance: 20,
      textGuidance: 1.5,
      voiceConditioningSeconds: 20,
    };
    const [request] = await asked('provider7', { settings });
    expect(request?.asked).toEqual({
      text: 'Good morning.',
      voice: 'v1',
      voice_engine: 'PlayDialog',
      output_format: 'wav',
      sample_rate: 24_000,
      speed: 1.1,
      quality: 'premium',
      temperature: 0.5,
      emotion: 'female_happy',
      voice_guidance: 3,
      style_guidance: 20,
      text_guidance: 1.5,
      voice_conditioning_seconds: 20,
    });
  });

  it.each([
    [undefined, 'pt-BR', 'portuguese'],
    ['PlayDialog', 'zh-Hant-TW', 'mandarin'],
    ['Play3.0-mini', 'is', undefined],
    ['PlayHT2.0', 'fr', undefined],
  ])('are sent to provider7 model %s with language %s as %s', async (model, languageHint, language) => {
    const settings = { userId: 'user-7', ...(model !== undefined && { model }) };
    const [request] = await asked('provider7', { settings, languageHint });
    expect((request!.asked as { language?: string }).language).toBe(language);
  });

  it.each([
    ['uk-UA', 'ua-rt'],
    ['en-GB', 'en-rt'],
  ])('provider6: language %s selects model %s when none is configured', async (languageHint, model) => {
    const [request] = await asked('provider6', { settings: {}, languageHint });
    expect(request?.path).toBe(`/v1/public/tts/${model}/tts/websocket`);
  });
});

describe('TTS connections', () => {
  it.each(['provider5', 'provider6'])('%s uses one for all sentences of a response', async (engine) => {
    const before = (await standIns.report()).connections;
    const sentences = ['One two three.', 'Four five.', 'Six.', 'Seven eight nine.'];
    expect(await asked(engine, { settings: {}, sentences })).toHaveLength(4);
    // Each report uses its own connection.
    expect((await standIns.report()).connections - before).toBe(3);
    await eventually(async () => expect((await standIns.report()).openConnections).toBeLessThanOrEqual(2));
  });

  it.each(['provider1', 'provider2', 'provider3'])(
    '%s reuses one for consecutive responses',
    async (engine) => {
      await asked(engine, { settings: {} });
      const before = (await standIns.report()).connections;
      await asked(engine, { settings: {} });
      await asked(engine, { settings: {} });
      expect((await standIns.report()).connections - before).toBe(3);
    },
  );

  it.each(['provider5', 'provider6'])(
    '%s opens another if it is closed between two sentences',
    async (engine) => {
      await standIns.control({ behaviour: 'once' });
      const sentences = new SentenceSource();
      sentences.write('One two.');
      const voice = { engine, settings: { apiKey: API_KEY, voiceId: 'v1' } };
      const { signal } = new AbortController();
      const spoken = collect(
        providers.textToSpeech.synthesize(sentences, { voice, languageHint: null }, signal),
      );
      await eventually(async () => {
        const { requests, openConnections } = await standIns.report();
        expect(requests.map(({ outcome }) => outcome)).toEqual(['answered']);
        // That of this request.
        expect(openConnections).toBe(1);
      });
      sentences.write('Three four.');
      sentences.end();
      expect(ratesOf(await spoken)).toHaveLength(1);
      expect((await standIns.report()).requests.map(({ outcome }) => outcome)).toEqual([
        'answered',
        'answered',
      ]);
    },
  );

  it.each(['provider5', 'provider6'])('%s closes its connection on interruption', async (engine) => {
    await standIns.control({ realTimeFactor: 1 });
    const controller = new AbortController();
    const voice = { engine, settings: { apiKey: API_KEY, voiceId: 'v1' } };
    const speaking = providers.textToSpeech.synthesize(
      SentenceSource.of(['A sentence that takes a while to be spoken.', 'Another.']),
      { voice, languageHint: null },
      controller.signal,
    );
    const chunks = speaking[Symbol.asyncIterator]();
    await chunks.next();
    controller.abort(new Error('interrupted'));
    await expect(chunks.next()).rejects.toThrow('interrupted');
    await eventually(async () => {
      const { requests } = await standIns.report();
      expect(requests.every(({ outcome }) => outcome === 'left')).toBe(true);
    });
  });

  it.each(['provider4', 'provider5', 'provider6'])(
    '%s loses no audio of long sentences when the caller reads slowly',
    async (engine) => {
      await standIns.control({ realTimeFactor: 0 });
      const settings =
        engine === 'provider4' ? { apiKey: account.keyJson, voiceId: 'en-US-Chirp3-HD-Kore' } : {};
      const text = 'word '.repeat(190).trim();
      let spokenMs = 0;
      const slices: number[] = [];
      for await (const chunk of start(engine, { settings, sentences: [text, text] })) {
        if (chunk.type !== 'audio') continue;
        spokenMs += (chunk.samples.length * 1000) / chunk.sampleRateHz;
        slices.push(chunk.samples.length);
        if (slices.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(spokenMs).toBeCloseTo(2 * text.length * 60, -1);
      expect(Math.max(...slices)).toBe(2400);
    },
  );
});
