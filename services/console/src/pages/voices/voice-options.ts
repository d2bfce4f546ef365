import { ttsVendors } from '@calls/api-client/vendors';
import type { Schemas } from '../../api/client.ts';

/** The vendor key in a voice's definition. */
export type VoiceProvider = (typeof ttsVendors)[number]['key'];
export type VoiceField = (typeof ttsVendors)[number]['fields'][number];
export type FieldKind = VoiceField['kind'];

export const defaultProvider: VoiceProvider = ttsVendors[0].key;

export const providerOptions = ttsVendors.map(({ key, name }) => ({ value: key, label: name }));

export type CloningVendor = Extract<(typeof ttsVendors)[number], { clonesVoices: true }>;

/** The vendors that clone a voice from a recording. */
export const cloningVendors = ttsVendors.filter((vendor): vendor is CloningVendor => vendor.clonesVoices);

export function isVoiceProvider(name: string): name is VoiceProvider {
  return ttsVendors.some(({ key }) => key === name);
}

/** `null`: voices of the installation's embedded engine. */
export function providerLabel(provider: string | null): string {
  if (provider === null) return 'Built in';
  return ttsVendors.find(({ key }) => key === provider)?.name ?? provider;
}

/** The settings of a vendor's voices, as form fields. */
export function fieldsOf(provider: VoiceProvider): readonly VoiceField[] {
  return ttsVendors.find(({ key }) => key === provider)?.fields ?? [];
}

/** Common languages of voices; the API accepts any tag. */
const COMMON =
  'ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu id is it ja kn ko lt lv ml mr ms nb nl pa pl pt ro ru sk sl sr sv sw ta te th tr uk ur vi zh';

interface LanguageOption {
  readonly value: string;
  readonly label: string;
}

/** Sorted by name, in the reader's language. */
export function languageOptions(): LanguageOption[] {
  return COMMON.split(' ')
    .map((value) => ({ value, label: languageName(value) }))
    .sort((one, other) => one.label.localeCompare(other.label));
}

/** `British English`; unknown tags are shown as they are. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Who bills the usage of a voice. */
export function billingText(style: Schemas['Voice']['billingStyle']): string {
  return style === 'VOICE_BILLING_STYLE_INCLUDED' ? 'Included' : 'By the provider';
}
