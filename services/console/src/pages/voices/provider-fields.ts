import type { Schemas } from '../../api/client.ts';
import type { VoiceProvider } from './providers.ts';

/** How a setting is put in: `pairs` are lines of `Name: value`, `json` is any JSON. */
export type FieldKind =
  'text' | 'number' | 'integer' | 'flag' | 'list' | 'pairs' | 'json' | readonly string[];

export interface VoiceField {
  /** Within the provider's settings: `voiceId`, `generationConfig.volume`. */
  readonly path: string;
  readonly kind: FieldKind;
}

type Settings<P extends VoiceProvider> = NonNullable<Schemas['ExternalVoice'][P]>;
type KindOf = FieldKind | Readonly<Record<string, FieldKind>>;
/** Every setting that the API takes, so that none is forgotten when one is added. */
type Kinds = { [P in VoiceProvider]: { [K in keyof Required<Settings<P>>]: KindOf } };

const KINDS: Kinds = {
  provider1: {
    voiceId: 'text',
    model: 'text',
    speed: 'number',
    stability: 'number',
    similarityBoost: 'number',
    style: 'number',
    useSpeakerBoost: 'flag',
    enableSsmlParsing: 'flag',
    optimizeStreamingLatency: 'integer',
    maxSampleRate: 'integer',
    pronunciationDictionaries: 'json',
  },
  provider2: {
    voiceId: 'text',
    model: 'text',
    speed: 'number',
    emotion: 'text',
    emotions: 'list',
    generationConfig: { volume: 'number', speed: 'number', emotion: 'text', pronunciationDictId: 'text' },
  },
  provider3: { voiceId: 'text', model: 'text', speed: 'number', conversational: 'flag' },
  provider4: { voiceId: 'text', speakingRate: 'number' },
  provider5: {
    voiceId: 'text',
    modelId: 'text',
    speakingRate: 'number',
    temperature: 'number',
    applyTextNormalization: 'flag',
    deliveryMode: 'text',
    pronunciationDictionaryIds: 'list',
  },
  provider6: {
    voiceId: 'text',
    model: 'text',
    seed: 'integer',
    temperature: 'number',
    topK: 'integer',
    topP: 'number',
    minP: 'number',
    presencePenalty: 'number',
    repetitionPenalty: 'number',
    frequencyPenalty: 'number',
  },
  provider7: {
    userId: 'text',
    voiceId: 'text',
    model: 'text',
    speed: 'number',
    quality: 'text',
    temperature: 'number',
    emotion: 'text',
    voiceGuidance: 'number',
    styleGuidance: 'number',
    textGuidance: 'number',
    voiceConditioningSeconds: 'number',
  },
  generic: {
    url: 'text',
    headers: 'pairs',
    body: 'json',
    responseSampleRate: 'integer',
    responseWordsPerMinute: 'integer',
    responseMimeType: 'text',
    jsonAudioFieldPath: 'text',
    jsonByteEncoding: ['JSON_BYTE_ENCODING_BASE64', 'JSON_BYTE_ENCODING_HEX'],
  },
};

/** What nearly everybody sets; the rest is shown on demand. */
const FOREMOST = new Set(['voiceId', 'userId', 'model', 'modelId', 'url', 'headers', 'body']);

export function fieldsOf(provider: VoiceProvider): readonly VoiceField[] {
  return Object.entries(KINDS[provider]).flatMap(([name, kind]): VoiceField[] =>
    isKind(kind)
      ? [{ path: name, kind }]
      : Object.entries(kind).map(([inner, innerKind]) => ({ path: `${name}.${inner}`, kind: innerKind })),
  );
}

export function isForemost({ path }: VoiceField): boolean {
  return FOREMOST.has(path);
}

function isKind(kind: KindOf): kind is FieldKind {
  return typeof kind === 'string' || Array.isArray(kind);
}

const LABELS: Readonly<Record<string, string>> = {
  voiceId: 'Voice id',
  userId: 'User id',
  modelId: 'Model',
  url: 'URL',
  responseMimeType: 'Media type of the answer',
  responseSampleRate: 'Sample rate of the answer (Hz)',
  responseWordsPerMinute: 'Words per minute',
  jsonAudioFieldPath: 'Path of the audio in JSON',
  jsonByteEncoding: 'Encoding of bytes in JSON',
  maxSampleRate: 'Highest sample rate (Hz)',
  topK: 'Top k',
  topP: 'Top p',
  minP: 'Min p',
  enableSsmlParsing: 'SSML',
  JSON_BYTE_ENCODING_BASE64: 'Base64',
  JSON_BYTE_ENCODING_HEX: 'Hexadecimal',
};

/** `generationConfig.volume` → `Generation config: volume`. */
export function labelOf(path: string): string {
  const known = LABELS[path];
  if (known !== undefined) return known;
  const words = path
    .replace(/([A-Z])/gu, ' $1')
    .toLowerCase()
    .replace('.', ': ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
