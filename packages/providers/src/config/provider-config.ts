import type { EnvReader } from '@calls/foundation/env-reader';
import { readOutboundConfig, type OutboundConfig } from '@calls/outbound-http/config';
import { readProviderUrls, type ProviderUrls } from './provider-urls.ts';

/** An OpenAI-compatible server for one role. */
export interface EndpointConfig {
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

export interface LanguageModelConfig extends EndpointConfig {
  /** Whether the model takes sound. */
  hearsAudio: boolean;
}

/** One voice of the speech endpoint: the name it knows it by, and the language it is listed under. */
export interface EndpointVoice {
  voice: string;
  /** BCP 47 tag. */
  language: string | null;
}

export interface ProviderConfig {
  /** Null: the embedded engine of that role. */
  speechToText: EndpointConfig | null;
  /** Recognises speech while it is spoken; wins over `speechToText`. */
  speechToTextStream: EndpointConfig | null;
  /** In the order in which they take over from an endpoint that fails; `local`: the embedded engine. */
  speechToTextFallbacks: readonly (EndpointConfig | 'local')[];
  languageModel: LanguageModelConfig | null;
  /** Answers where `languageModel` fails. */
  languageModelFallback: LanguageModelConfig | null;
  textToSpeech: (EndpointConfig & { voices: readonly EndpointVoice[] }) | null;
  /** The providers whose voices accounts bring their own keys for. */
  providerUrls: ProviderUrls;
  /** For voices that are endpoints of customers. */
  outbound: OutboundConfig;
  /** Where a user keeps models for the local engine; null: none. */
  speechModelDir: string | null;
  limits: {
    sttTimeoutMs: number;
    /** Of each fallback. */
    sttFallbackTimeoutMs: number;
    llmFirstTokenTimeoutMs: number;
    llmGapTimeoutMs: number;
    ttsFirstAudioTimeoutMs: number;
    ttsGapTimeoutMs: number;
  };
}

const STT_ENDPOINT_TIMEOUT_MS = 2000;
/** Shorter where another can still take over: with that one's time it stays below 3 s of silence. */
const STT_TIMEOUT_BEFORE_FALLBACK_MS = 1200;
const STT_FALLBACK_TIMEOUT_MS = 1500;
/** Engines on this machine recognise an utterance as a whole when it is over, beside all else that the machine does. */
const STT_LOCAL_TIMEOUT_MS = 5000;

const LLM_FIRST_TOKEN_TIMEOUT_MS = 8000;
const LLM_FIRST_TOKEN_TIMEOUT_BEFORE_FALLBACK_MS = 4000;

/** Faults are collected in `env`; its owner calls `finish`. */
export function readProviderConfig(env: EnvReader): ProviderConfig {
  const limit = (name: string, fallback: number): number =>
    env.integer(name, { fallback, min: 50, max: 120_000 });
  const speechToText = readEndpoint(env, 'STT', 'whisper-1');
  const speechToTextStream = readEndpoint(env, 'STT_STREAM', 'nova-3', ['wss:', 'ws:', 'https:', 'http:']);
  const textToSpeech = readEndpoint(env, 'TTS', 'tts-1');
  const speechToTextFallbacks = readSpeechToTextFallbacks(env);
  if (speechToTextFallbacks.length > 0 && !(speechToTextStream ?? speechToText)) {
    env.fault('STT_FALLBACK and STT_FALLBACK_BASE_URL need STT_BASE_URL or STT_STREAM_BASE_URL');
  }
  const languageModel = readLanguageModel(env, 'LLM', env.boolean('LLM_AUDIO_INPUT', false));
  const fallbackHearsAudio = env.boolean('LLM_FALLBACK_AUDIO_INPUT', false);
  const languageModelFallback = readLanguageModel(env, 'LLM_FALLBACK', fallbackHearsAudio);
  if (languageModelFallback && !languageModel) env.fault('LLM_FALLBACK_BASE_URL needs LLM_BASE_URL');
  return {
    speechToText,
    speechToTextStream,
    speechToTextFallbacks,
    languageModel,
    languageModelFallback,
    textToSpeech: textToSpeech && { ...textToSpeech, voices: readVoices(env) },
    providerUrls: readProviderUrls(env),
    outbound: readOutboundConfig(env),
    speechModelDir: env.optional('SPEECH_MODEL_DIR') ?? null,
    limits: {
      sttTimeoutMs: limit(
        'STT_TIMEOUT_MS',
        sttTimeoutMs(speechToTextStream ?? speechToText, speechToTextFallbacks.length > 0),
      ),
      sttFallbackTimeoutMs: limit('STT_FALLBACK_TIMEOUT_MS', STT_FALLBACK_TIMEOUT_MS),
      llmFirstTokenTimeoutMs: limit(
        'LLM_FIRST_TOKEN_TIMEOUT_MS',
        languageModelFallback ? LLM_FIRST_TOKEN_TIMEOUT_BEFORE_FALLBACK_MS : LLM_FIRST_TOKEN_TIMEOUT_MS,
      ),
      llmGapTimeoutMs: limit('LLM_GAP_TIMEOUT_MS', 5000),
      ttsFirstAudioTimeoutMs: limit('TTS_FIRST_AUDIO_TIMEOUT_MS', 2500),
      ttsGapTimeoutMs: limit('TTS_GAP_TIMEOUT_MS', 2500),
    },
  };
}

/** How long the words of an utterance may take in all, fallbacks included. */
export function transcriptionLimitMs({ limits, speechToTextFallbacks }: ProviderConfig): number {
  return limits.sttTimeoutMs + speechToTextFallbacks.length * limits.sttFallbackTimeoutMs;
}

function sttTimeoutMs(endpoint: EndpointConfig | null, hasFallback: boolean): number {
  if (!endpoint) return STT_LOCAL_TIMEOUT_MS;
  return hasFallback ? STT_TIMEOUT_BEFORE_FALLBACK_MS : STT_ENDPOINT_TIMEOUT_MS;
}

function readSpeechToTextFallbacks(env: EnvReader): (EndpointConfig | 'local')[] {
  const endpoint = readEndpoint(env, 'STT_FALLBACK', 'whisper-1');
  const local = env.oneOf('STT_FALLBACK', ['none', 'local'], 'none');
  return [...(endpoint ? [endpoint] : []), ...(local === 'local' ? [local] : [])];
}

/** Where `defaultModel` is null the model has to be named. */
function readEndpoint(
  env: EnvReader,
  role: string,
  defaultModel: string | null,
  protocols: readonly string[] = ['http:', 'https:'],
): EndpointConfig | null {
  if (env.optional(`${role}_BASE_URL`) === undefined) return null;
  return {
    baseUrl: env.url(`${role}_BASE_URL`, protocols),
    apiKey: env.optional(`${role}_API_KEY`) ?? null,
    model: defaultModel === null ? env.string(`${role}_MODEL`) : env.string(`${role}_MODEL`, defaultModel),
  };
}

function readLanguageModel(env: EnvReader, role: string, hearsAudio: boolean): LanguageModelConfig | null {
  const endpoint = readEndpoint(env, role, null);
  return endpoint && { ...endpoint, hearsAudio };
}

/** `TTS_VOICES=alloy:en-US,nova`: names as the server knows them, each with its language where it has one. */
function readVoices(env: EnvReader): EndpointVoice[] {
  const voices: EndpointVoice[] = [];
  for (const item of env.string('TTS_VOICES', 'alloy').split(',')) {
    const [, voice, language = null] =
      /^\s*([^\s:]+)(?::([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*))?\s*$/.exec(item) ?? [];
    if (voice === undefined) {
      env.fault(`TTS_VOICES must be names or name:language, separated by commas, not "${item.trim()}"`);
    } else if (!voices.some((known) => known.voice === voice)) {
      voices.push({ voice, language });
    }
  }
  return voices;
}
