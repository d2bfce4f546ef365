import { compileValidator } from '@calls/api-contract/validation/validator';
import { Type, type Static } from 'typebox';
import { OptionalText } from '../voice-settings.ts';

/** `VoiceSelection.settings` of this engine: an endpoint of the customer's. */
export const GenericSettings = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048 }),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** JSON; inside any of its strings `{text}` stands for the sentence and `{language}` for the call's language hint. */
    body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** Of headerless PCM; a WAV answer says its own. */
    responseSampleRate: Type.Optional(Type.Integer({ minimum: 8000, maximum: 48_000 })),
    responseWordsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    /** What the answer really is, where its content type says something else. */
    responseMimeType: OptionalText,
    /** Dotted path of the audio in a JSON answer, and in each line of a JSON lines answer. */
    jsonAudioFieldPath: OptionalText,
    jsonByteEncoding: Type.Optional(
      Type.Enum(['JSON_BYTE_ENCODING_UNSPECIFIED', 'JSON_BYTE_ENCODING_BASE64', 'JSON_BYTE_ENCODING_HEX']),
    ),
    /** Endpoints of customers have none but in their headers. */
    apiKey: OptionalText,
  },
  { additionalProperties: false },
);
export type GenericSettings = Static<typeof GenericSettings>;

export const genericSettings = compileValidator('voice settings', GenericSettings);

const PLACEHOLDER = '{text}';
const LANGUAGE_PLACEHOLDER = '{language}';
/** Found at once: what is said may hold a placeholder too. */
const PLACES = new RegExp(`${PLACEHOLDER}|${LANGUAGE_PLACEHOLDER}`, 'g');
const DEFAULT_BODY = { text: PLACEHOLDER };

/** The request's body for one sentence; undefined where the template has no place for it. */
export function requestBody(
  { body = DEFAULT_BODY }: GenericSettings,
  text: string,
  languageHint: string | null,
): string | undefined {
  let places = 0;
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (value.includes(PLACEHOLDER)) places += 1;
      return value.replaceAll(PLACES, (place) => (place === PLACEHOLDER ? text : (languageHint ?? '')));
    }
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]));
  };
  const json = JSON.stringify(fill(body));
  return places > 0 ? json : undefined;
}

export type AnswerKind = 'samples' | 'json' | 'json-lines';

/** How to read an answer that calls itself `mimeType`; undefined where it can't be played. */
export function answerKind(mimeType: string): AnswerKind | undefined {
  const type = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^application\/(?:x-)?(?:jsonl|ndjson|jsonlines|json-seq)$/.test(type)) return 'json-lines';
  if (/[/+]json$/.test(type)) return 'json';
  if (/^audio\/(?:x-|vnd\.)?(?:wave?|pcm|raw|l16)$/.test(type)) return 'samples';
  return type === '' || type === 'application/octet-stream' ? 'samples' : undefined;
}

/** The `rate` parameter of `audio/l16;rate=16000`. */
export function rateParameter(mimeType: string): number | undefined {
  const [, rate] = /;\s*rate=(\d{4,5})\b/i.exec(mimeType) ?? [];
  return rate === undefined ? undefined : Number(rate);
}

/** The value at a dotted path; numbers are places in arrays. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
