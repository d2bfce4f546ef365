import type { EnvReader } from '@calls/foundation/env-reader';
import {
  boolean,
  choice,
  integer,
  InvalidVariableError,
  parsed,
  text,
  url,
} from '@calls/foundation/variable';
import { readOutboundConfig, type OutboundConfig } from '@calls/outbound-http/config';
import { isJsonObject } from '@calls/foundation/json-object';
import type { HostedLlmVendor } from '../llm/llm-vendor.ts';
import { parsedJson } from '../llm/json-text.ts';
import { hostedLlmVendors } from '../llm/llm-vendors.ts';
import type { HostedSttVendor } from '../stt/stt-vendor.ts';
import { hostedSttVendors } from '../stt/stt-vendors.ts';
import { TTS_VENDORS, type KeyedProvider } from '../tts/tts-vendors.ts';
import { readEndpoint, type EndpointConfig, type EndpointDescriptor } from './endpoint.ts';

/** Base URLs of the speech vendors' APIs. */
type ProviderUrls = Readonly<Record<KeyedProvider, string>>;

/** An engine on a server. */
export interface HostedEngine<Vendor, Endpoint extends EndpointConfig = EndpointConfig> {
  readonly vendor: Vendor;
  readonly endpoint: Endpoint;
}

export interface LanguageModelConfig extends EndpointConfig {
  /** Whether the model accepts audio. */
  acceptsAudio: boolean;
  /** Fields to add to each request; null removes one. */
  extraBody: Readonly<Record<string, unknown>>;
}

/** `local`: the selected local vendor. */
export type SttChoice = HostedEngine<HostedSttVendor> | 'local';
export type LlmChoice = HostedEngine<HostedLlmVendor, LanguageModelConfig>;

/** A voice of the speech endpoint: its name there, and the language under which it is listed. */
export interface EndpointVoice {
  voice: string;
  /** BCP 47 tag. */
  language: string | null;
}

export interface ProviderConfig {
  /** The primary engine, then its fallbacks in order. */
  speechToText: readonly [SttChoice, ...SttChoice[]];
  /** The primary model, then its fallback; empty for the local model. */
  languageModel: readonly LlmChoice[];
  textToSpeech: (EndpointConfig & { voices: readonly EndpointVoice[] }) | null;
  /** Addresses of the providers whose voices need keys of accounts. */
  providerUrls: ProviderUrls;
  /** Settings of requests to voices on customers' endpoints. */
  outbound: OutboundConfig;
  /** Folder with models for the local engine; null if unset. */
  speechModelDir: string | null;
  limits: {
    sttConnectTimeoutMs: number;
    sttTimeoutMs: number;
    /** Time limit of each fallback. */
    sttFallbackTimeoutMs: number;
    llmConnectTimeoutMs: number;
    llmFirstTokenTimeoutMs: number;
    llmGapTimeoutMs: number;
    ttsConnectTimeoutMs: number;
    ttsFirstAudioTimeoutMs: number;
    ttsGapTimeoutMs: number;
  };
}

/** The server with the voices of TTS_VOICES. */
const TTS_ENDPOINT: EndpointDescriptor = {
  prefix: 'TTS',
  defaultModel: 'tts-1',
  server: "a server with OpenAI's `/audio/speech`",
};

const STT_ENDPOINT_TIMEOUT_MS = 2000;
/** STT time limit if a fallback exists. Together with the fallback's limit, silence stays below 3 s. */
const STT_TIMEOUT_BEFORE_FALLBACK_MS = 1200;
/** Local engines transcribe the whole utterance after its end, and share the machine with other work. */
const STT_LOCAL_TIMEOUT_MS = 5000;

const LLM_FIRST_TOKEN_TIMEOUT_MS = 8000;
const LLM_FIRST_TOKEN_TIMEOUT_BEFORE_FALLBACK_MS = 4000;

const TIMEOUT_BOUNDS = { min: 50, max: 120_000 };
const VARIABLES = {
  SPEECH_MODEL_DIR: text({
    unset: 'none',
    meaning: 'Folder with sherpa-onnx models: `stt/` for STT, and `tts/<name>/` for each voice.',
  }),
  STT_CONNECT_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    default: 1000,
    meaning: 'Time limit for connecting, including TLS.',
  }),
  STT_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    unset: 'see below',
    meaning: 'Time limit from the end of speech to its transcript.',
  }),
  STT_FALLBACK_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    default: 1500,
    meaning: 'Time limit of each fallback for the transcript.',
  }),
  LLM_CONNECT_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    default: 2000,
    meaning: 'Time limit for connecting, including TLS.',
  }),
  LLM_FIRST_TOKEN_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    unset: `${LLM_FIRST_TOKEN_TIMEOUT_MS}; ${LLM_FIRST_TOKEN_TIMEOUT_BEFORE_FALLBACK_MS} with a fallback`,
    meaning: 'Time limit of each model from a request to the first token.',
  }),
  LLM_GAP_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    default: 5000,
    meaning: 'Time limit between two pieces of a generation.',
  }),
  TTS_CONNECT_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    default: 1000,
    meaning: 'Time limit for connecting, including TLS.',
  }),
  TTS_FIRST_AUDIO_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    default: 2500,
    meaning: 'Time limit from a sentence to its first audio.',
  }),
  TTS_GAP_TIMEOUT_MS: integer({
    ...TIMEOUT_BOUNDS,
    default: 2500,
    meaning: 'Time limit between two pieces of the audio of a sentence.',
  }),
};
const STT_FALLBACK = choice({
  values: ['none', 'local'],
  default: 'none',
  meaning: '`local` uses the local engine if the server fails.',
});
const TTS_VOICES = text({
  default: 'alloy',
  meaning: 'Voices of that server, as in `alloy:en-US,nova`; the first is the default.',
});
const LLM_AUDIO_INPUT = boolean({
  default: false,
  meaning: 'Whether the model accepts `input_audio` parts.',
});
const LLM_EXTRA_BODY = parsed({
  default: {},
  defaultText: 'none',
  placeholder: {},
  meaning: 'JSON object with additional fields of each request; null removes a field.',
  parse: (value) => {
    const fields = parsedJson(value);
    if (isJsonObject(fields)) return fields;
    throw new InvalidVariableError('must be a JSON object, like {"reasoning_effort": "none"}');
  },
});

/** The engine of each role. Issues are collected in `env`; the caller calls `finish`. */
export function readEngines(
  env: EnvReader,
): Pick<ProviderConfig, 'languageModel' | 'speechToText' | 'textToSpeech'> {
  const languageModel = readLanguageModel(env);
  const speechToText = readSpeechToText(env);
  const endpoint = readEndpoint(env, TTS_ENDPOINT.prefix, TTS_ENDPOINT);
  const voices = env.value('TTS_VOICES', TTS_VOICES);
  const textToSpeech = endpoint && { ...endpoint, voices: readVoices(env, voices) };
  return { languageModel, speechToText, textToSpeech };
}

/** Issues are collected in `env`; the caller calls `finish`. */
export function readProviderConfig(env: EnvReader): ProviderConfig {
  const { languageModel, speechToText, textToSpeech } = readEngines(env);
  const values = env.read(VARIABLES);
  return {
    speechToText,
    languageModel,
    textToSpeech,
    providerUrls: readProviderUrls(env),
    outbound: readOutboundConfig(env),
    speechModelDir: values.SPEECH_MODEL_DIR,
    limits: {
      sttConnectTimeoutMs: values.STT_CONNECT_TIMEOUT_MS,
      sttTimeoutMs: values.STT_TIMEOUT_MS ?? sttTimeoutMs(speechToText),
      sttFallbackTimeoutMs: values.STT_FALLBACK_TIMEOUT_MS,
      llmConnectTimeoutMs: values.LLM_CONNECT_TIMEOUT_MS,
      llmFirstTokenTimeoutMs:
        values.LLM_FIRST_TOKEN_TIMEOUT_MS ??
        (languageModel.length > 1 ? LLM_FIRST_TOKEN_TIMEOUT_BEFORE_FALLBACK_MS : LLM_FIRST_TOKEN_TIMEOUT_MS),
      llmGapTimeoutMs: values.LLM_GAP_TIMEOUT_MS,
      ttsConnectTimeoutMs: values.TTS_CONNECT_TIMEOUT_MS,
      ttsFirstAudioTimeoutMs: values.TTS_FIRST_AUDIO_TIMEOUT_MS,
      ttsGapTimeoutMs: values.TTS_GAP_TIMEOUT_MS,
    },
  };
}

/** Time limit for the transcript of an utterance, including fallbacks. */
export function transcriptionLimitMs({ limits, speechToText }: ProviderConfig): number {
  return limits.sttTimeoutMs + (speechToText.length - 1) * limits.sttFallbackTimeoutMs;
}

function sttTimeoutMs([first, ...fallbacks]: ProviderConfig['speechToText']): number {
  if (first === 'local') return STT_LOCAL_TIMEOUT_MS;
  return fallbacks.length > 0 ? STT_TIMEOUT_BEFORE_FALLBACK_MS : STT_ENDPOINT_TIMEOUT_MS;
}

function readSpeechToText(env: EnvReader): ProviderConfig['speechToText'] {
  const vendors = hostedSttVendors();
  const [first, ...fallbacks] = readHosted(env, vendors, (_prefix, endpoint) => endpoint);
  const local = env.value('STT_FALLBACK', STT_FALLBACK);
  if (!first && local === 'local') env.addIssue(`STT_FALLBACK needs ${urlVariables(vendors)}`);
  if (!first) return ['local'];
  return local === 'local' ? [first, ...fallbacks, local] : [first, ...fallbacks];
}

function readLanguageModel(env: EnvReader): LlmChoice[] {
  return readHosted(env, hostedLlmVendors(), (prefix, endpoint) => {
    const acceptsAudio = env.value(`${prefix}_AUDIO_INPUT`, LLM_AUDIO_INPUT);
    const extraBody = env.value(`${prefix}_EXTRA_BODY`, LLM_EXTRA_BODY);
    return endpoint && { ...endpoint, acceptsAudio, extraBody };
  });
}

/** The first configured server, then the fallbacks; empty if none is configured. */
function readHosted<Vendor extends { endpoint: EndpointDescriptor }, Endpoint extends EndpointConfig>(
  env: EnvReader,
  vendors: readonly Vendor[],
  complete: (prefix: string, endpoint: EndpointConfig | null) => Endpoint | null,
): HostedEngine<Vendor, Endpoint>[] {
  const read = (prefixOf: (descriptor: EndpointDescriptor) => string | undefined) =>
    vendors.flatMap((vendor) => {
      const prefix = prefixOf(vendor.endpoint);
      const endpoint =
        prefix === undefined ? null : complete(prefix, readEndpoint(env, prefix, vendor.endpoint));
      return endpoint ? [{ vendor, endpoint }] : [];
    });
  const [first] = read(({ prefix }) => prefix);
  const fallbacks = read(({ fallbackPrefix }) => fallbackPrefix);
  for (const { vendor } of first ? [] : fallbacks) {
    env.addIssue(`${vendor.endpoint.fallbackPrefix ?? ''}_BASE_URL needs ${urlVariables(vendors)}`);
  }
  return first ? [first, ...fallbacks] : [];
}

/** The variables that configure a server, joined by "or". */
export function urlVariables(vendors: readonly { endpoint: EndpointDescriptor }[]): string {
  return vendors.map(({ endpoint }) => `${endpoint.prefix}_BASE_URL`).join(' or ');
}

/** `TTS_VOICES=alloy:en-US,nova`: names of voices on the server, each with an optional language. */
function readVoices(env: EnvReader, list: string): EndpointVoice[] {
  const voices: EndpointVoice[] = [];
  for (const item of list.split(',')) {
    const [, voice, language = null] =
      /^\s*([^\s:]+)(?::([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*))?\s*$/.exec(item) ?? [];
    if (voice === undefined) {
      env.addIssue(`TTS_VOICES must be names or name:language, separated by commas, not "${item.trim()}"`);
    } else if (!voices.some((known) => known.voice === voice)) {
      voices.push({ voice, language });
    }
  }
  return voices;
}

function readProviderUrls(env: EnvReader): ProviderUrls {
  const variable = (name: string, address: string) =>
    url({ protocols: ['http:', 'https:'], default: address, meaning: `URL of ${name}.` });
  const urls = TTS_VENDORS.flatMap(({ key, name, endpoint }) =>
    endpoint ? [[key, env.value(endpoint.variable, variable(name, endpoint.url))]] : [],
  );
  return Object.fromEntries(urls) as ProviderUrls;
}
