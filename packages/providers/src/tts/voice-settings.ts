import { acceptedSettings } from '@calls/api-contract/vendors/accepted';
import { compileValidator, type Validator } from '@calls/api-contract/validation/validator';
import type { TtsVendor } from '@calls/api-contract/vendors/tts/tts-vendor';
import { ProviderError } from '@calls/conversation/ports/provider-error';
import { toError } from '@calls/foundation/errors';
import { Type, type Static } from 'typebox';

/** The settings of a vendor's voices. `apiKey`: the account's key, added by the control-plane where the vendor needs one. */
export type VoiceSettings<V extends TtsVendor> = Static<V['settings']> & { apiKey?: string };

/** Checks `VoiceSelection.settings` of a vendor's voices: what the API takes, within what the vendor accepts. */
export function settingsValidator<V extends TtsVendor>({ settings }: V): Validator<VoiceSettings<V>> {
  const apiKey = Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 }));
  return compileValidator(
    'voice settings',
    Type.Unsafe<VoiceSettings<V>>(acceptedSettings(settings, { apiKey })),
  );
}

/** The settings, checked; `unavailable` where they break their schema or the account's key is missing. */
export function parseVoiceSettings<S extends { apiKey?: string }>(
  provider: string,
  validator: Validator<S>,
  settings: unknown,
): S & { apiKey: string } {
  const parsed = validated(provider, validator, settings);
  const { apiKey } = parsed;
  if (apiKey === undefined)
    throw new ProviderError(provider, 'unavailable', `the account has no API key for ${provider}`);
  return { ...parsed, apiKey };
}

export function validated<S>(provider: string, validator: Validator<S>, settings: unknown): S {
  try {
    return validator.parse(settings);
  } catch (cause) {
    throw new ProviderError(provider, 'unavailable', toError(cause).message, { cause });
  }
}
