import { ttsVendors } from '@calls/api-client/vendors';

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
