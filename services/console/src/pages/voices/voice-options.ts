import { ttsVendors } from '@calls/api-client/vendors';
import type { Schemas } from '../../api/client.ts';

/** The key of a voice's definition. */
export type VoiceProvider = (typeof ttsVendors)[number]['key'];
export type VoiceField = (typeof ttsVendors)[number]['fields'][number];
export type FieldKind = VoiceField['kind'];

export const defaultProvider: VoiceProvider = ttsVendors[0].key;

export const providerOptions = ttsVendors.map(({ key, name }) => ({ value: key, label: name }));

export function isVoiceProvider(name: string): name is VoiceProvider {
  return ttsVendors.some(({ key }) => key === name);
}

/** `null`: the voices of this installation's own engine. */
export function providerLabel(provider: string | null): string {
  if (provider === null) return 'Built in';
  return ttsVendors.find(({ key }) => key === provider)?.name ?? provider;
}

/** The settings of a vendor's voices, as a form shows them. */
export function fieldsOf(provider: VoiceProvider): readonly VoiceField[] {
  return ttsVendors.find(({ key }) => key === provider)?.fields ?? [];
}

/** What voices are commonly made for; the API takes any tag. */
const COMMON =
  'ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu id is it ja kn ko lt lv ml mr ms nb nl pa pl pt ro ru sk sl sr sv sw ta te th tr uk ur vi zh';

interface LanguageOption {
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

/** Who is to be paid for what a voice says. */
export function billingText(style: Schemas['Voice']['billingStyle']): string {
  return style === 'VOICE_BILLING_STYLE_INCLUDED' ? 'Included' : 'By its provider';
}
