import type { CatalogueVoice } from '../../config/catalogue-voice.ts';

/** `VoiceSelection.settings` of this engine. */
export interface EspeakSettings {
  /** A voice from `espeak-ng --voices`, with an optional variant: `en-us`, `de+f3`. */
  voice: string;
  /** Factor on the default of 175 words per minute; default 1. */
  speed?: number;
  /** 0 to 99, default 50. */
  pitch?: number;
}

interface Language {
  tag: string;
  label: string;
  espeakName: string;
}

/** The first entry of a language is used for hints without a region. */
const LANGUAGES: readonly Language[] = [
  { tag: 'en-US', label: 'English (US)', espeakName: 'en-us' },
  { tag: 'en-GB', label: 'English (UK)', espeakName: 'en-gb' },
  { tag: 'es-ES', label: 'Spanish (Spain)', espeakName: 'es' },
  { tag: 'es-419', label: 'Spanish (Latin America)', espeakName: 'es-419' },
  { tag: 'fr-FR', label: 'French', espeakName: 'fr-fr' },
  { tag: 'de-DE', label: 'German', espeakName: 'de' },
  { tag: 'it-IT', label: 'Italian', espeakName: 'it' },
  { tag: 'pt-BR', label: 'Portuguese (Brazil)', espeakName: 'pt-br' },
  { tag: 'pt-PT', label: 'Portuguese (Portugal)', espeakName: 'pt' },
  { tag: 'nl-NL', label: 'Dutch', espeakName: 'nl' },
  { tag: 'pl-PL', label: 'Polish', espeakName: 'pl' },
  { tag: 'cs-CZ', label: 'Czech', espeakName: 'cs' },
  { tag: 'sv-SE', label: 'Swedish', espeakName: 'sv' },
  { tag: 'da-DK', label: 'Danish', espeakName: 'da' },
  { tag: 'nb-NO', label: 'Norwegian', espeakName: 'nb' },
  { tag: 'fi-FI', label: 'Finnish', espeakName: 'fi' },
  { tag: 'ru-RU', label: 'Russian', espeakName: 'ru' },
  { tag: 'uk-UA', label: 'Ukrainian', espeakName: 'uk' },
  { tag: 'tr-TR', label: 'Turkish', espeakName: 'tr' },
  { tag: 'el-GR', label: 'Greek', espeakName: 'el' },
  { tag: 'ar', label: 'Arabic', espeakName: 'ar' },
  { tag: 'hi-IN', label: 'Hindi', espeakName: 'hi' },
  { tag: 'zh-CN', label: 'Chinese (Mandarin)', espeakName: 'cmn' },
  { tag: 'ko-KR', label: 'Korean', espeakName: 'ko' },
  { tag: 'vi-VN', label: 'Vietnamese', espeakName: 'vi' },
  { tag: 'id-ID', label: 'Indonesian', espeakName: 'id' },
];

const VARIANTS = [
  { label: 'Female', suffix: '+f3' },
  { label: 'Male', suffix: '+m3' },
] as const;

export const DEFAULT_ESPEAK_SETTINGS: EspeakSettings = { voice: 'en-us+f3' };

/** Catalogue entries of the embedded engine. */
export const espeakVoices: readonly CatalogueVoice[] = LANGUAGES.flatMap((language) =>
  VARIANTS.map((variant) => ({
    key: `espeak-${language.tag.toLowerCase()}-${variant.label.toLowerCase()}`,
    name: `${language.label}, ${variant.label.toLowerCase()} (espeak)`,
    description: `Synthetic ${variant.label.toLowerCase()} voice of the embedded engine, espeak-ng`,
    primaryLanguage: language.tag,
    languageLabel: language.label,
    engine: 'espeak-ng',
    settings: { voice: language.espeakName + variant.suffix },
  })),
);

/**
 * The voice for `languageHint` (BCP 47): `voice` itself if it matches, or if the hint is null or not in the catalogue;
 * otherwise the voice of that language with the same variant.
 */
export function voiceForLanguage(voice: string, languageHint: string | null): string {
  if (languageHint === null) return voice;
  const [base = '', variant] = voice.split('+');
  const wanted = languageHint.toLowerCase();
  const spoken = LANGUAGES.find(({ espeakName }) => espeakName === base)?.tag ?? base;
  if (primarySubtag(spoken) === primarySubtag(wanted)) return voice;
  const language =
    LANGUAGES.find(({ tag }) => tag.toLowerCase() === wanted) ??
    LANGUAGES.find(({ tag }) => primarySubtag(tag) === primarySubtag(wanted));
  if (!language) return voice;
  return variant === undefined ? language.espeakName : `${language.espeakName}+${variant}`;
}

function primarySubtag(tag: string): string {
  return tag.toLowerCase().split(/[-_]/, 1)[0] ?? '';
}
