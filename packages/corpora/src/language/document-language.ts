/** PostgreSQL text search configurations by ISO 639-1 code. */
const TEXT_CONFIGS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};

const SAMPLE_CHARS = 5000;
/** Shorter texts are not analyzed. */
const MIN_CHARS = 20;
const LATIN = /\p{Script=Latin}/u;

export interface DocumentLanguage {
  /** Declared by the document, or else detected; null if unknown. */
  tag: string | null;
  /** English rules apply to texts of unknown language in Latin script. */
  textConfig: string;
}

/** `said`: the language that the document declares. */
export async function documentLanguage(said: string | null, text: string): Promise<DocumentLanguage> {
  const sample = text.slice(0, SAMPLE_CHARS);
  const tag = canonicalTag(said) ?? (await detect(sample));
  if (tag === null) return { tag, textConfig: LATIN.test(sample) ? 'english' : 'simple' };
  const [primary = ''] = tag.split('-', 1);
  const known = Object.hasOwn(TEXT_CONFIGS, primary) ? TEXT_CONFIGS[primary] : undefined;
  return { tag, textConfig: known ?? 'simple' };
}

function canonicalTag(tag: string | null): string | null {
  if (tag === null || tag.length > 35) return null;
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}

async function detect(sample: string): Promise<string | null> {
  if (sample.length < MIN_CHARS) return null;
  // Loaded where it is needed: it takes longer to load than all other modules of a process that reads documents.
  const { eld } = await import('eld/small');
  const found = eld.detect(sample);
  return found.isReliable() && found.language !== '' ? found.language : null;
}
