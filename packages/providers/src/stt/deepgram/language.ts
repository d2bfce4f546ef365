import { languageCode } from '../../language-code.ts';

/** Regions and scripts that the provider distinguishes. Other tags are reduced to the language. */
const VARIANTS = new Set([
  'da-DK',
  'de-CH',
  'en-AU',
  'en-GB',
  'en-IN',
  'en-NZ',
  'en-US',
  'es-419',
  'fr-CA',
  'ko-KR',
  'nl-BE',
  'pt-BR',
  'pt-PT',
  'sv-SE',
  'th-TH',
  'zh-CN',
  'zh-HK',
  'zh-Hans',
  'zh-Hant',
  'zh-TW',
]);
/** One language for the provider. */
const NORWEGIAN = new Set(['nb', 'nn']);
/** Multilingual mode: the provider detects the language among those of its model. */
const ANY_LANGUAGE = 'multi';

/** The provider's name for the language of a BCP 47 tag. */
export function listenLanguage(tag: string | null): string {
  const language = languageCode(tag);
  if (tag === null || language === null) return ANY_LANGUAGE;
  const { region, script } = new Intl.Locale(tag);
  const variant = [region, script]
    .map((part) => `${language}-${part ?? ''}`)
    .find((name) => VARIANTS.has(name));
  return variant ?? (NORWEGIAN.has(language) ? 'no' : language);
}
