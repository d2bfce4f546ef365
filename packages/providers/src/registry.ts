import type { LanguageModel } from '@calls/conversation/ports/language-model';
import type { SpeechToText } from '@calls/conversation/ports/speech-to-text';
import type { TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { Disposables } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { languageModelByName, textToSpeechByEngine } from './by-engine.ts';
import {
  DEFAULT_MODEL,
  ESPEAK_ENGINE,
  LOCAL_MODEL,
  modelNames,
  OPENAI_COMPATIBLE_ENGINE,
  SHERPA_ENGINE,
} from './config/catalogue.ts';
import { endpointName } from './config/describe-providers.ts';
import type { EndpointConfig, LanguageModelConfig, ProviderConfig } from './config/provider-config.ts';
import { hasSpeechToTextModel } from './config/speech-model.ts';
import type { EngineFault, NamedEngine } from './fallback/engine-order.ts';
import { languageModelWithFallback } from './fallback/language-model.ts';
import { speechToTextWithFallback } from './fallback/speech-to-text.ts';
import { createConnectionPool, type ConnectionPool } from './http/connection-pool.ts';
import { createOpenAiCompatibleLanguageModel } from './llm/openai-compatible/adapter.ts';
import { DEFAULT_LANGUAGE_MODEL_LIMITS } from './llm/openai-compatible/limits.ts';
import { createSvcLocal } from './llm/svc-local/adapter.ts';
import { createDeepgramSpeechToText } from './stt/deepgram/adapter.ts';
import { DEFAULT_SPEECH_TO_TEXT_LIMITS } from './stt/limits.ts';
import { createOpenAiCompatibleSpeechToText } from './stt/openai-compatible/adapter.ts';
import { createPocketsphinx, type Pocketsphinx } from './stt/pocketsphinx/adapter.ts';
import { createSherpaOnnxSpeechToText } from './stt/sherpa-onnx/adapter.ts';
import { TTS_ADAPTERS } from './tts/adapters.ts';
import { createEspeakNg } from './tts/espeak-ng/adapter.ts';
import { DEFAULT_TEXT_TO_SPEECH_LIMITS } from './tts/limits.ts';
import { createOpenAiCompatibleTextToSpeech } from './tts/openai-compatible/adapter.ts';
import { createSherpaOnnxTextToSpeech } from './tts/sherpa-onnx/adapter.ts';

/** The engines of one process, as its configuration chooses them. */
export interface Providers extends AsyncDisposable {
  readonly speechToText: SpeechToText;
  /** Knows the models of `modelNames`; any other is `unavailable`. */
  readonly languageModel: LanguageModel;
  /** Knows the engines of the catalogue's voices; any other is `unavailable`. */
  readonly textToSpeech: TextToSpeech;
  readonly modelNames: readonly string[];
  /** Recent delay of embedded speech-to-text beyond its processing time; 0 if it is not used. */
  sttLatenessMs(): number;
}

export interface ProviderParts {
  clock: Clock;
  log: Logger;
  /** For customers' addresses, where the process has a client already; its owner closes it. */
  outbound?: OutboundHttp;
  /** Called, in addition to the log, for every failure of an engine that has a fallback. */
  onFault?: (role: FallbackRole, fault: EngineFault) => void;
}

export type FallbackRole = 'speech_to_text' | 'language_model';

/** Starts what is embedded. An engine that isn't installed fails when it is used, not here. */
export function createProviders(config: ProviderConfig, parts: ProviderParts): Providers {
  const started = new Started(config, parts);
  return {
    speechToText: speechToText(started),
    languageModel: languageModelByName(languageModels(started)),
    textToSpeech: textToSpeechByEngine(textToSpeechEngines(started)),
    modelNames,
    sttLatenessMs: () => Math.max(0, ...started.pocketsphinxPools.map(({ latenessMs }) => latenessMs)),
    [Symbol.asyncDispose]: () => started.parts[Symbol.asyncDispose](),
  };
}

/** Voices alone, for who has them speak outside of calls. */
export function createVoices(
  config: ProviderConfig,
  parts: ProviderParts,
): Pick<Providers, 'textToSpeech'> & AsyncDisposable {
  const started = new Started(config, parts);
  return {
    textToSpeech: textToSpeechByEngine(textToSpeechEngines(started)),
    [Symbol.asyncDispose]: () => started.parts[Symbol.asyncDispose](),
  };
}

/** What every engine is made from, and the engines that have to be stopped. */
class Started {
  readonly config: ProviderConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pool: ConnectionPool;
  readonly outbound: OutboundHttp;
  readonly parts: Disposables;
  readonly pocketsphinxPools: Pocketsphinx[] = [];

  readonly #onFault: ProviderParts['onFault'];

  constructor(config: ProviderConfig, { clock, log, outbound, onFault }: ProviderParts) {
    this.config = config;
    this.clock = clock;
    this.log = log;
    this.#onFault = onFault;
    this.parts = new Disposables(log);
    this.pool = createConnectionPool();
    this.parts.add('provider connections', () => this.pool[Symbol.asyncDispose]());
    this.outbound =
      outbound ?? this.keep('outbound connections', createOutboundHttp({ ...config.outbound, clock }));
  }

  /** `engine`, stopped with the others. */
  keep<T extends AsyncDisposable>(name: string, engine: T): T {
    this.parts.add(name, () => engine[Symbol.asyncDispose]());
    return engine;
  }

  onFault(role: FallbackRole, { engine, fault, next }: EngineFault): void {
    this.log.warn({ role, engine, next, err: fault }, 'engine failed');
    this.#onFault?.(role, { engine, fault, next });
  }
}

function speechToText(started: Started): SpeechToText {
  const { config, clock } = started;
  const { sttTimeoutMs, sttFallbackTimeoutMs } = config.limits;
  const fallbacks = config.speechToTextFallbacks.map((fallback) =>
    fallback === 'local'
      ? { name: 'local speech to text', engine: localSpeechToText(started, sttFallbackTimeoutMs) }
      : {
          name: endpointName(fallback),
          engine: requestSpeechToText(started, fallback, sttFallbackTimeoutMs),
        },
  );
  const first = firstSpeechToText(started, sttTimeoutMs);
  if (fallbacks.length === 0) return first.engine;
  return speechToTextWithFallback({
    engines: [first, ...fallbacks],
    clock,
    onFault: (fault) => started.onFault('speech_to_text', fault),
  });
}

function firstSpeechToText(started: Started, timeoutMs: number): NamedEngine<SpeechToText> {
  const { config, clock, log } = started;
  if (config.speechToTextStream) {
    const { model, ...endpoint } = config.speechToTextStream;
    const limits = { ...DEFAULT_SPEECH_TO_TEXT_LIMITS, timeoutMs };
    const engine = createDeepgramSpeechToText({ endpoint, model, limits, clock, log });
    return {
      name: endpointName(config.speechToTextStream),
      engine: started.keep('speech to text stream', engine),
    };
  }
  if (config.speechToText) {
    const engine = requestSpeechToText(started, config.speechToText, timeoutMs);
    return { name: endpointName(config.speechToText), engine };
  }
  return { name: 'local speech to text', engine: localSpeechToText(started, timeoutMs) };
}

function requestSpeechToText(
  { pool, clock, log }: Started,
  { model, ...endpoint }: EndpointConfig,
  timeoutMs: number,
): SpeechToText {
  const limits = { ...DEFAULT_SPEECH_TO_TEXT_LIMITS, timeoutMs };
  return createOpenAiCompatibleSpeechToText({ endpoint, model, limits, pool, clock, log });
}

function localSpeechToText(started: Started, timeoutMs: number): SpeechToText {
  const { config, clock, log } = started;
  if (config.speechModelDir !== null && hasSpeechToTextModel(config)) {
    const options = { modelDir: config.speechModelDir, timeoutMs, clock, log };
    const engine = started.keep('sherpa-onnx', createSherpaOnnxSpeechToText(options));
    // Now rather than in the first call; what is wrong with a model also shows in every `finalize`.
    engine
      .load()
      .catch((thrown: unknown) => log.error({ err: toError(thrown) }, 'failed to load speech model'));
    return engine;
  }
  const stt = started.keep('pocketsphinx', createPocketsphinx({ timeoutMs, clock, log }));
  started.pocketsphinxPools.push(stt);
  return stt;
}

function languageModels(started: Started): Map<string, LanguageModel> {
  const { config, clock } = started;
  const local = createSvcLocal({ clock });
  const models = new Map([
    [LOCAL_MODEL, local],
    [DEFAULT_MODEL, local],
  ]);
  const engines = [config.languageModel, config.languageModelFallback]
    .filter((model) => model !== null)
    .map((model) => ({ name: endpointName(model), engine: chatModel(started, model) }));
  const [first] = engines;
  if (!first) return models;
  const onFault = (fault: EngineFault): void => started.onFault('language_model', fault);
  const model = engines.length > 1 ? languageModelWithFallback({ engines, clock, onFault }) : first.engine;
  return models.set(DEFAULT_MODEL, model);
}

function chatModel(
  { config, clock, pool }: Started,
  { model, hearsAudio, ...endpoint }: LanguageModelConfig,
): LanguageModel {
  const limits = {
    ...DEFAULT_LANGUAGE_MODEL_LIMITS,
    firstTokenTimeoutMs: config.limits.llmFirstTokenTimeoutMs,
    gapTimeoutMs: config.limits.llmGapTimeoutMs,
  };
  return createOpenAiCompatibleLanguageModel({ endpoint, model, hearsAudio, limits, pool, clock });
}

/** One line for each engine that a voice can name. */
function textToSpeechEngines(started: Started): Map<string, TextToSpeech> {
  const { config, clock, log, pool } = started;
  const limits = {
    firstAudioTimeoutMs: config.limits.ttsFirstAudioTimeoutMs,
    gapTimeoutMs: config.limits.ttsGapTimeoutMs,
  };
  const engines = new Map<string, TextToSpeech>();
  engines.set(ESPEAK_ENGINE, started.keep('espeak-ng', createEspeakNg({ limits, clock, log })));
  if (config.speechModelDir !== null) {
    const options = { modelDir: config.speechModelDir, timeoutMs: limits.firstAudioTimeoutMs, clock, log };
    engines.set(SHERPA_ENGINE, started.keep('sherpa-onnx voices', createSherpaOnnxTextToSpeech(options)));
  }
  const requestLimits = { ...DEFAULT_TEXT_TO_SPEECH_LIMITS, ...limits };
  const urls: Readonly<Record<string, string>> = config.providerUrls;
  for (const [key, create] of Object.entries(TTS_ADAPTERS)) {
    const { outbound } = started;
    const engine = create({ baseUrl: urls[key] ?? '', limits: requestLimits, pool, outbound, clock });
    engines.set(key, engine);
    started.parts.add(key, async () => engine[Symbol.asyncDispose]?.());
  }
  if (config.textToSpeech) {
    const { baseUrl, apiKey, model } = config.textToSpeech;
    engines.set(
      OPENAI_COMPATIBLE_ENGINE,
      createOpenAiCompatibleTextToSpeech({
        endpoint: { baseUrl, apiKey },
        model,
        limits: requestLimits,
        pool,
        clock,
      }),
    );
  }
  return engines;
}
