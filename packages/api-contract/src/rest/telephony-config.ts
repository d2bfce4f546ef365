import { Type, type Static } from 'typebox';
import { Pattern } from './annotations.ts';
import { Closed, Nullable, Uuid } from './common.ts';
import { KeyPrefix } from './key-prefix.ts';
import { defineResource, ReadOnly, Secret } from './resource.ts';

/** Telephony providers that an account has credentials of. */
export const TELEPHONY_PROVIDERS = ['telephony1', 'telephony2', 'telephony3'] as const;
export type TelephonyProvider = (typeof TELEPHONY_PROVIDERS)[number];

const Identifier = Type.String({ minLength: 1, maxLength: 128 });
const Token = Pattern('^[!-~]+$', 'must be 1 to 512 printable ASCII characters without spaces', {
  maxLength: 512,
});
/** The 44 characters of 32 bytes in base64. */
const Ed25519PublicKey = Pattern(
  '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$',
  'must be an Ed25519 public key: 32 bytes in base64',
);
const DottedPath = '^[^.\\s]+(?:\\.[^.\\s]+){0,7}$';

const callCreation = {
  callCreationAllowedAgentIds: Type.Optional(
    Type.Array(Uuid, { maxItems: 100, description: "Agents whose calls the provider's webhook may create." }),
  ),
  callCreationAllowAllAgents: Type.Optional(Type.Boolean({ default: false })),
  requestContextMapping: Type.Optional(
    Type.Record(
      Type.String({ maxLength: 256, pattern: DottedPath }),
      Pattern(DottedPath, 'must be a dotted path', { maxLength: 256 }),
      {
        additionalProperties: false,
        maxProperties: 100,
        description:
          "From where in the webhook's request (a dotted path) to where in the context of the agent's template.",
      },
    ),
  ),
};

export const Telephony1Config = defineResource('Telephony1Config', {
  ...callCreation,
  accountSid: Identifier,
  authToken: Secret(Token),
  authTokenPrefix: ReadOnly(KeyPrefix),
});
export type Telephony1Config = Static<typeof Telephony1Config.Response>;

export const Telephony2Config = defineResource('Telephony2Config', {
  ...callCreation,
  accountSid: Identifier,
  apiKey: Secret(Token),
  apiKeyPrefix: ReadOnly(KeyPrefix),
  publicKey: Secret(Ed25519PublicKey),
  publicKeyPrefix: ReadOnly(KeyPrefix),
  applicationSid: Type.String({ minLength: 1, maxLength: 40 }),
});
export type Telephony2Config = Static<typeof Telephony2Config.Response>;

export const Telephony3Config = defineResource('Telephony3Config', {
  ...callCreation,
  authId: Identifier,
  authToken: Secret(Token),
  authTokenPrefix: ReadOnly(KeyPrefix),
});
export type Telephony3Config = Static<typeof Telephony3Config.Response>;

export const telephonyConfigs = {
  telephony1: Telephony1Config,
  telephony2: Telephony2Config,
  telephony3: Telephony3Config,
};

/** Those that there are. */
export const AccountTelephonyConfig = Closed(
  {
    telephony1: Type.Optional(Telephony1Config.Response),
    telephony2: Type.Optional(Telephony2Config.Response),
    telephony3: Type.Optional(Telephony3Config.Response),
  },
  'AccountTelephonyConfig',
);
export type AccountTelephonyConfig = Static<typeof AccountTelephonyConfig>;

/** Null deletes. Where there is none yet, all that one needs must be given. */
export const PatchedAccountTelephonyConfig = Closed(
  {
    telephony1: Type.Optional(Nullable(Telephony1Config.Patch)),
    telephony2: Type.Optional(Nullable(Telephony2Config.Patch)),
    telephony3: Type.Optional(Nullable(Telephony3Config.Patch)),
  },
  'PatchedAccountTelephonyConfig',
);
export type PatchedAccountTelephonyConfig = Static<typeof PatchedAccountTelephonyConfig>;
