import { settingsValidator, type VoiceSettings } from '../voice-settings.ts';
import { ownEndpoint } from './descriptor.ts';

export type OwnEndpointSettings = VoiceSettings<typeof ownEndpoint>;

export const ownEndpointSettings = settingsValidator(ownEndpoint);

const PLACEHOLDER = '{text}';
const LANGUAGE_PLACEHOLDER = '{language}';
/** Placeholders are replaced in one pass, because the text to speak may contain one. */
const PLACES = new RegExp(`${PLACEHOLDER}|${LANGUAGE_PLACEHOLDER}`, 'g');
const DEFAULT_BODY = { text: PLACEHOLDER };

/** The request body for one sentence; undefined if the template has no text placeholder. */
export function requestBody(
  { body = DEFAULT_BODY }: OwnEndpointSettings,
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

export type ResponseKind = 'samples' | 'json' | 'json-lines';

/** How to read a response of `mimeType`; undefined if it cannot be played. */
export function responseKindOf(mimeType: string): ResponseKind | undefined {
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

/** The value at a dotted path; numbers are array indexes. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
