import { described, ReadOnly, Secret } from '@calls/foundation/schema/annotations';
import { Closed, Nullable } from '@calls/foundation/schema/objects';
import { Token } from '@calls/providers/setting-fields';
import type { CredentialKind } from '@calls/providers/tts/tts-vendor';
import { KEYED_TTS_VENDORS, type KeyedProvider } from '@calls/providers/tts/tts-vendors';
import { Type, type Static, type TSchema } from 'typebox';
import { KeyPrefix } from './common.ts';

const Prefix = described(
  Type.Optional(ReadOnly(KeyPrefix)),
  'Prefix of the key for this provider; absent when none is stored.',
);

export const AccountTtsKeys = Closed(
  ofEachVendor(() => Prefix),
  'AccountTtsKeys',
  'Prefixes of the keys that the account stored for text-to-speech providers.',
);
export type AccountTtsKeys = Static<typeof AccountTtsKeys>;

const Key = Secret(Type.Optional(Nullable(Token, 'Key for this provider; null deletes it.')));
const ServiceAccountKey = Secret(
  Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 16_384 }),
      'JSON of a service-account key for this provider, as text; null deletes it.',
    ),
  ),
);

const CREDENTIALS = { token: Key, service_account: ServiceAccountKey };

export const PatchedSetTtsApiKeysRequest = Closed(
  ofEachVendor((credential) => CREDENTIALS[credential]),
  'PatchedSetTtsApiKeysRequest',
  'Keys to store or delete, by provider.',
);
export type PatchedSetTtsApiKeysRequest = Static<typeof PatchedSetTtsApiKeysRequest>;

function ofEachVendor<S extends TSchema>(
  schemaOf: (credential: CredentialKind) => S,
): Record<KeyedProvider, S> {
  const members = KEYED_TTS_VENDORS.map(({ key, credential }) => [key, schemaOf(credential)]);
  return Object.fromEntries(members) as Record<KeyedProvider, S>;
}
