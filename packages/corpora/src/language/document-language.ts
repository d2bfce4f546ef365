import { franc } from 'franc-min';

/** ISO 639-3 as the detector names it, ISO 639-1, and PostgreSQL's text search configuration where it has one. */
const LANGUAGES: readonly (readonly [string, string, string?])[] = [
  ['arb', 'ar', 'arabic'],
  ['hye', 'hy', 'armenian'],
  ['cat', 'ca', 'catalan'],
  ['dan', 'da', 'danish'],
  ['nld', 'nl', 'dutch'],
  ['eng', 'en', 'english'],
  ['fin', 'fi', 'finnish'],
  ['fra', 'fr', 'french'],
  ['deu', 'de', 'german'],
  ['ell', 'el', 'greek'],
  ['hin', 'hi', 'hindi'],
  ['hun', 'hu', 'hungarian'],
  ['ind', 'id', 'indonesian'],
  ['gle', 'ga', 'irish'],
  ['ita', 'it', 'italian'],
  ['lit', 'lt', 'lithuanian'],
  ['npi', 'ne', 'nepali'],
  ['nob', 'no', 'norwegian'],
  ['por', 'pt', 'portuguese'],
  ['ron', 'ro', 'romanian'],
  ['rus', 'ru', 'russian'],
  ['srp', 'sr', 'serbian'],
  ['spa', 'es', 'spanish'],
  ['swe', 'sv', 'swedish'],
  ['tam', 'ta', 'tamil'],
  ['tur', 'tr', 'turkish'],
  ['ydd', 'yi', 'yiddish'],
  ['cmn', 'zh'],
  ['jpn', 'ja'],
  ['kor', 'ko'],
  ['tha', 'th'],
  ['pol', 'pl'],
  ['ces', 'cs'],
  ['ukr', 'uk'],
  ['bul', 'bg'],
  ['vie', 'vi'],
  ['heb', 'he'],
  ['ben', 'bn'],
  ['pes', 'fa'],
  ['urd', 'ur'],
];

const SAMPLE_CHARS = 5000;
/** Shorter texts tell too little. */
const MIN_CHARS = 60;

export interface DocumentLanguage {
  /** As the document says, otherwise as its words look; null where neither tells. */
  tag: string | null;
  textConfig: string;
}

/** `said`: what the document says of itself. */
export function documentLanguage(said: string | null, text: string): DocumentLanguage {
  const tag = canonicalTag(said) ?? detect(text);
  const primary = tag?.split('-', 1)[0];
  const known = LANGUAGES.find(
    ([, short]) => short === (primary === 'nb' || primary === 'nn' ? 'no' : primary),
  );
  return { tag, textConfig: known?.[2] ?? 'simple' };
}

function canonicalTag(tag: string | null): string | null {
  if (tag === null || tag.length > 35) return null;
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}

function detect(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS);
  const found = franc(sample, { minLength: MIN_CHARS, only: LANGUAGES.map(([long]) => long) });
  return LANGUAGES.find(([long]) => long === found)?.[1] ?? null;
}
