import type { Validator } from '@calls/api-contract/validation/validator';
import { ProviderError } from '@calls/conversation/ports/provider-error';
import { toError } from '@calls/foundation/errors';
import { Type } from 'typebox';

/** What every provider's voice settings have besides the fields of its ExternalVoice. */
export const KEY_AND_VOICE = {
  /** The account's key at this provider; the control-plane puts it in. */
  apiKey: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
  voiceId: Type.String({ minLength: 1, maxLength: 512 }),
};

/** An optional text field of a voice. */
export const OptionalText = Type.Optional(Type.String({ minLength: 1, maxLength: 512 }));

export function optionalNumber(
  range: { minimum?: number; maximum?: number; exclusiveMinimum?: number } = {},
) {
  return Type.Optional(Type.Number(range));
}

export function optionalInteger(range: { minimum?: number; maximum?: number } = {}) {
  return Type.Optional(Type.Integer(range));
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
