import type { LanguageModel } from '@calls/engine-ports/language-model';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import { Disposables } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { languageModelByName, lazyTextToSpeech, textToSpeechByEngine } from './by-engine.ts';
import {
  catalogueVoices,
  DEFAULT_MODEL,
  ESPEAK_ENGINE,
  FLITE_ENGINE,
  LOCAL_FALLBACK_VOICE,
  modelNames,
  OPENAI_COMPATIBLE_ENGINE,
  SHERPA_ENGINE,
} from './config/catalogue.ts';
import { endpointName } from './config/endpoint.ts';
import type { LlmChoice, ProviderConfig, SttChoice } from './config/provider-config.ts';
import {
  EngineMeter,
  MAX_REPORTED_ENGINES,
  type EngineDescription,
  type EngineReport,
} from './engine-meter.ts';
import type { EngineFailure, NamedEngine } from './fallback/engine-order.ts';
import { languageModelWithFallback } from './fallback/language-model.ts';
import { speechToTextWithFallback } from './fallback/speech-to-text.ts';
import { createConnectionPool, type ConnectionPool } from './http/connection-pool.ts';
import { localLlmVendors } from './llm/llm-vendors.ts';
import { DEFAULT_LANGUAGE_MODEL_LIMITS } from './llm/openai-compatible/limits.ts';
import { DEFAULT_SPEECH_TO_TEXT_LIMITS } from './stt/limits.ts';
import type { SttEngine } from './stt/stt-vendor.ts';
import { localSttVendor } from './stt/stt-vendors.ts';
import { createEspeakNg } from './tts/espeak-ng/adapter.ts';
import { createFlite } from './tts/flite/adapter.ts';
import { DEFAULT_TEXT_TO_SPEECH_LIMITS } from './tts/limits.ts';
import { createOpenAiCompatibleTextToSpeech } from './tts/openai-compatible/adapter.ts';
import { createSherpaOnnxTextToSpeech } from './tts/sherpa-onnx/adapter.ts';
import { TTS_VENDORS } from './tts/tts-vendors.ts';
import { createCloneVoice, type CloneVoice } from './tts/voice-cloning.ts';

/** The configured engines of one process. */
export interface Providers extends AsyncDisposable {
  readonly speechToText: SpeechToText;
  /** Supports the models of `modelNames`; others throw `unavailable`. */
  readonly languageModel: LanguageModel;
  /** Supports the engines of the catalogue's voices; others throw `unavailable`. */
  readonly textToSpeech: TextToSpeech;
  readonly modelNames: readonly string[];
  /** Recent delay of local speech-to-text beyond its processing time; 0 if it is not used. */
  sttLatenessMs(): number;
  /**
   * The engines of the installation with their newest requests, by role, in the order in which they are tried; at most
   * MAX_REPORTED_ENGINES. Excludes engines that need an account's key.
   */
  engines(): EngineReport[];
}

export interface ProviderDeps {
  clock: Clock;
  log: Logger;
  /** HTTP client for customers' addresses, if the process already has one. Its owner closes it. */
  outbound?: OutboundHttp;
  /** Called, in addition to the log, for every failure of an engine that has a fallback. */
  onEngineFailure?: (role: FallbackRole, failure: EngineFailure) => void;
}

export type FallbackRole = 'speech_to_text' | 'language_model';

/** Starts the embedded engines. A missing engine fails when it is used, not here. */
export function createProviders(config: ProviderConfig, deps: ProviderDeps): Providers {
  const started = new Started(config, deps);
  return {
    speechToText: speechToText(started),
    languageModel: languageModelByName(languageModels(started)),
    textToSpeech: textToSpeechByEngine(textToSpeechEngines(started)),
    modelNames,
    sttLatenessMs: () => Math.max(0, ...started.sttEngines.map(({ latenessMs = 0 }) => latenessMs)),
    engines: () => started.meters.slice(0, MAX_REPORTED_ENGINES).map(({ report }) => report),
    [Symbol.asyncDispose]: () => started.components[Symbol.asyncDispose](),
  };
}

/** TTS engines and voice cloning only, for voices outside of calls. */
export function createVoices(
  config: ProviderConfig,
  deps: ProviderDeps,
): Pick<Providers, 'textToSpeech'> & { cloneVoice: CloneVoice } & AsyncDisposable {
  const started = new Started(config, deps);
  const { pool, clock } = started;
  return {
    cloneVoice: createCloneVoice({ pool, clock, urls: config.providerUrls }),
    textToSpeech: textToSpeechByEngine(textToSpeechEngines(started)),
    [Symbol.asyncDispose]: () => started.components[Symbol.asyncDispose](),
  };
}

/** The options that all engines share, and the started engines that have to be stopped. */
class Started {
  readonly config: ProviderConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pool: ConnectionPool;
  readonly outbound: OutboundHttp;
  readonly components: Disposables;
  readonly sttEngines: SttEngine[] = [];
  readonly meters: EngineMeter[] = [];

  readonly #onEngineFailure: ProviderDeps['onEngineFailure'];

  constructor(config: ProviderConfig, { clock, log, outbound, onEngineFailure }: ProviderDeps) {
    this.config = config;
    this.clock = clock;
    this.log = log;
    this.#onEngineFailure = onEngineFailure;
    this.components = new Disposables(log);
    this.pool = createConnectionPool();
    this.components.add('provider connections', () => this.pool[Symbol.asyncDispose]());
    this.outbound =
      outbound ?? this.keep('outbound connections', createOutboundHttp({ ...config.outbound, clock }));
  }

  /** Registers `engine` to be stopped with the others. */
  keep<T extends Partial<AsyncDisposable>>(name: string, engine: T): T {
    this.components.add(name, async () => engine[Symbol.asyncDispose]?.());
    return engine;
  }

  meter(description: EngineDescription): EngineMeter {
    const meter = new EngineMeter(description, this.clock);
    this.meters.push(meter);
    return meter;
  }

  onEngineFailure(role: FallbackRole, failure: EngineFailure): void {
    const { engine, error, next } = failure;
    this.log.warn({ role, engine, next, err: error }, 'engine failed');
    this.#onEngineFailure?.(role, failure);
  }
}

function speechToText(started: Started): SpeechToText {
  const { clock } = started;
  const { speechToText: choices, limits } = started.config;
  const engines = choices.map((choice, index) =>
    index === 0
      ? sttEngine(started, choice, limits.sttTimeoutMs, 'default')
      : sttEngine(started, choice, limits.sttFallbackTimeoutMs, 'fallback'),
  );
  const [first] = engines;
  if (first && engines.length === 1) return first.engine;
  const onFailure = (failure: EngineFailure): void => started.onEngineFailure('speech_to_text', failure);
  return speechToTextWithFallback({ engines, clock, onFailure });
}

function sttEngine(
  started: Started,
  choice: SttChoice,
  timeoutMs: number,
  use: EngineDescription['use'],
): NamedEngine<SpeechToText> {
  const { clock, log, pool } = started;
  const role = 'speechToText';
  const { speechModelDir: modelDir } = started.config;
  if (choice === 'local') {
    const vendor = localSttVendor(modelDir);
    const engine = started.keep(vendor.name, vendor.create({ modelDir, timeoutMs, clock, log }));
    started.sttEngines.push(engine);
    const kind = vendor.hasModel ? 'local' : 'embedded';
    const meter = started.meter({ role, name: vendor.name, kind, model: null, use });
    return { name: 'local speech to text', engine: meter.speechToText(engine) };
  }
  const { vendor, endpoint } = choice;
  const { model, ...address } = endpoint;
  const connectTimeoutMs = started.config.limits.sttConnectTimeoutMs;
  const limits = { ...DEFAULT_SPEECH_TO_TEXT_LIMITS, connectTimeoutMs, timeoutMs };
  const engine = vendor.create({ endpoint: address, model, limits, pool, clock, log });
  started.sttEngines.push(started.keep(`${vendor.name} speech to text`, engine));
  const meter = started.meter({ role, name: vendor.name, kind: 'hosted', model, use });
  return { name: endpointName(endpoint), engine: meter.speechToText(engine) };
}

function languageModels(started: Started): Map<string, LanguageModel> {
  const { config, clock } = started;
  const engines = config.languageModel.map((choice, index) =>
    llmEngine(started, choice, index === 0 ? 'default' : 'fallback'),
  );
  const local = localLlmVendors().map((vendor, index): [string, LanguageModel] => {
    const { name } = vendor;
    const use = index === 0 && engines.length === 0 ? 'default' : 'choice';
    const meter = started.meter({ role: 'languageModel', name, kind: 'embedded', model: null, use });
    return [name, meter.languageModel(started.keep(name, vendor.create({ clock })))];
  });
  const models = new Map(local);
  const first = engines[0]?.engine ?? local[0]?.[1];
  const onFailure = (failure: EngineFailure): void => started.onEngineFailure('language_model', failure);
  const model = engines.length > 1 ? languageModelWithFallback({ engines, clock, onFailure }) : first;
  return model ? models.set(DEFAULT_MODEL, model) : models;
}

function llmEngine(
  started: Started,
  { vendor, endpoint }: LlmChoice,
  use: EngineDescription['use'],
): NamedEngine<LanguageModel> {
  const { config, clock, pool } = started;
  const { model, acceptsAudio, extraBody, ...address } = endpoint;
  const limits = {
    ...DEFAULT_LANGUAGE_MODEL_LIMITS,
    connectTimeoutMs: config.limits.llmConnectTimeoutMs,
    firstTokenTimeoutMs: config.limits.llmFirstTokenTimeoutMs,
    gapTimeoutMs: config.limits.llmGapTimeoutMs,
  };
  const engine = vendor.create({ endpoint: address, model, acceptsAudio, extraBody, limits, pool, clock });
  started.keep(`${vendor.name} language model`, engine);
  const meter = started.meter({ role: 'languageModel', name: vendor.name, kind: 'hosted', model, use });
  return { name: endpointName(endpoint), engine: meter.languageModel(engine) };
}

/** One entry per engine name of voices. */
function textToSpeechEngines(started: Started): Map<string, TextToSpeech> {
  const { config, clock, log, pool } = started;
  const limits = {
    firstAudioTimeoutMs: config.limits.ttsFirstAudioTimeoutMs,
    gapTimeoutMs: config.limits.ttsGapTimeoutMs,
  };
  const connectTimeoutMs = config.limits.ttsConnectTimeoutMs;
  const requestLimits = { ...DEFAULT_TEXT_TO_SPEECH_LIMITS, connectTimeoutMs, ...limits };
  const engines = new Map<string, TextToSpeech>();
  const [defaultVoice] = catalogueVoices(config);
  const add = (name: string, engine: TextToSpeech, kind: EngineDescription['kind'], model: string | null) => {
    const other = name === LOCAL_FALLBACK_VOICE.engine ? 'fallback' : 'choice';
    const use = name === defaultVoice?.engine ? 'default' : other;
    const meter = started.meter({ role: 'textToSpeech', name, kind, model, use });
    engines.set(name, meter.textToSpeech(engine));
  };
  if (config.textToSpeech) {
    const { baseUrl, apiKey, model } = config.textToSpeech;
    const engine = createOpenAiCompatibleTextToSpeech({
      endpoint: { baseUrl, apiKey },
      model,
      limits: requestLimits,
      pool,
      clock,
    });
    add(OPENAI_COMPATIBLE_ENGINE, engine, 'hosted', model);
  }
  if (config.speechModelDir !== null) {
    const options = { modelDir: config.speechModelDir, timeoutMs: limits.firstAudioTimeoutMs, clock, log };
    const engine = started.keep('sherpa-onnx voices', createSherpaOnnxTextToSpeech(options));
    add(SHERPA_ENGINE, engine, 'local', null);
  }
  const espeakNg = started.keep('espeak-ng', createEspeakNg({ limits, clock, log }));
  const flite = started.keep('flite', createFlite({ limits, clock, log, otherLanguages: espeakNg }));
  add(FLITE_ENGINE, flite, 'embedded', null);
  add(ESPEAK_ENGINE, espeakNg, 'embedded', null);
  const urls: Readonly<Record<string, string>> = config.providerUrls;
  for (const { key, adapter } of TTS_VENDORS) {
    const { outbound } = started;
    const options = { baseUrl: urls[key] ?? '', limits: requestLimits, pool, outbound, clock };
    const engine = lazyTextToSpeech(async () => (await adapter())(options));
    engines.set(key, started.keep(key, engine));
  }
  return engines;
}
