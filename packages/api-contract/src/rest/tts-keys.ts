import { Type, type Static, type TSchema } from 'typebox';
import type { CredentialKind } from '../vendors/tts/tts-vendor.ts';
import { KEYED_TTS_VENDORS, type KeyedProvider } from '../vendors/tts-vendors.ts';
import { Pattern } from './annotations.ts';
import { Closed, Nullable } from './common.ts';
import { KeyPrefix } from './key-prefix.ts';
import { ReadOnly, Secret } from './resource.ts';

const Prefix = Type.Optional(ReadOnly(KeyPrefix));

/** The keys that an account has stored, by what they begin with. */
export const AccountTtsKeys = Closed(
  ofEachVendor(() => Prefix),
  'AccountTtsKeys',
);
export type AccountTtsKeys = Static<typeof AccountTtsKeys>;

const Key = Secret(
  Type.Optional(
    Nullable(
      Pattern('^[!-~]+$', 'must be 1 to 512 printable ASCII characters without spaces', { maxLength: 512 }),
    ),
  ),
);
const ServiceAccountKey = Secret(
  Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 16_384,
        description: 'The JSON of a service-account key, as text.',
      }),
    ),
  ),
);

const CREDENTIALS = { token: Key, service_account: ServiceAccountKey };

/** Text sets a key, null deletes it. */
export const PatchedSetTtsApiKeysRequest = Closed(
  ofEachVendor((credential) => CREDENTIALS[credential]),
  'PatchedSetTtsApiKeysRequest',
);
export type PatchedSetTtsApiKeysRequest = Static<typeof PatchedSetTtsApiKeysRequest>;

function ofEachVendor<S extends TSchema>(
  schemaOf: (credential: CredentialKind) => S,
): Record<KeyedProvider, S> {
  const members = KEYED_TTS_VENDORS.map(({ key, credential }) => [key, schemaOf(credential)]);
  return Object.fromEntries(members) as Record<KeyedProvider, S>;
}
