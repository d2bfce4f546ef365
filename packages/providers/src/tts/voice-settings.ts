import { ProviderError } from '@calls/engine-ports/provider-error';
import { toError } from '@calls/foundation/errors';
import { compileValidator, type Validator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { acceptedSettings } from './accepted.ts';
import type { TtsVendor } from './tts-vendor.ts';

/** The settings of a vendor's voices. The control-plane adds `apiKey`, the account's key, if the vendor needs one. */
export type VoiceSettings<V extends TtsVendor> = Static<V['settings']> & { apiKey?: string };

/** Validates the voice settings of a vendor against the API schema and the vendor's limits. */
export function settingsValidator<V extends TtsVendor>({ settings }: V): Validator<VoiceSettings<V>> {
  const apiKey = Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 }));
  return compileValidator(
    'voice settings',
    Type.Unsafe<VoiceSettings<V>>(acceptedSettings(settings, { apiKey })),
  );
}

/** Validates settings. Throws `unavailable` if they do not match their schema or the account's key is missing. */
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
