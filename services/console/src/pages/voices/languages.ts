/** What voices are commonly made for; the API takes any tag. */
const COMMON =
  'ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu id is it ja kn ko lt lv ml mr ms nb nl pa pl pt ro ru sk sl sr sv sw ta te th tr uk ur vi zh';

export interface LanguageOption {
  readonly value: string;
  readonly label: string;
}

/** By name, in the reader's language. */
export function languageOptions(locale?: string): LanguageOption[] {
  return COMMON.split(' ')
    .map((value) => ({ value, label: languageName(value, locale) }))
    .sort((one, other) => one.label.localeCompare(other.label, locale));
}

/** `British English`; a tag that isn't known stays as it is. */
export function languageName(tag: string, locale?: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
