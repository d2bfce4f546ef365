import { Type, type Static } from 'typebox';
import { Pattern } from './annotations.ts';
import { Closed, Nullable } from './common.ts';
import { KeyPrefix } from './key-prefix.ts';
import { ReadOnly, Secret } from './resource.ts';

/** Providers whose voices an account brings its own key for. */
export const KEYED_PROVIDERS = [
  'provider1',
  'provider2',
  'provider3',
  'provider4',
  'provider5',
  'provider6',
  'provider7',
] as const;
export type KeyedProvider = (typeof KEYED_PROVIDERS)[number];

export function isKeyedProvider(name: string): name is KeyedProvider {
  return KEYED_PROVIDERS.some((provider) => provider === name);
}

const Prefix = Type.Optional(ReadOnly(KeyPrefix));

/** The keys that an account has stored, by what they begin with. */
export const AccountTtsKeys = Closed(
  {
    provider1: Prefix,
    provider2: Prefix,
    provider3: Prefix,
    provider4: Prefix,
    provider5: Prefix,
    provider6: Prefix,
    provider7: Prefix,
  },
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

/** Text sets a key, null deletes it. */
export const PatchedSetTtsApiKeysRequest = Closed(
  {
    provider1: Key,
    provider2: Key,
    provider3: Key,
    provider4: ServiceAccountKey,
    provider5: Key,
    provider6: Key,
    provider7: Key,
  },
  'PatchedSetTtsApiKeysRequest',
);
export type PatchedSetTtsApiKeysRequest = Static<typeof PatchedSetTtsApiKeysRequest>;
