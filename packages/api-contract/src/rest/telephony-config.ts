import { described, Pattern, ReadOnly, type WriteOnlyMark } from '@calls/foundation/schema/annotations';
import { SECRET_MARK } from '@calls/foundation/schema/keywords';
import { Closed, Nullable, Uuid } from '@calls/foundation/schema/objects';
import {
  ofEachTelephonyAccount,
  type FieldsOf,
  type TelephonyProvider,
} from '@calls/providers/telephony/telephony-vendors';
import { Type, type Static, type TNull, type TOptional, type TProperties, type TUnion } from 'typebox';
import { KeyPrefix } from './common.ts';
import { defineResource, type Resource } from './resource.ts';

const DottedPath = '^[^.\\s]+(?:\\.[^.\\s]+){0,7}$';

const callCreation = {
  callCreationAllowedAgentIds: Type.Optional(
    Type.Array(Uuid, { maxItems: 100, description: "Agents whose calls the provider's webhook may create." }),
  ),
  callCreationAllowAllAgents: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Whether the provider's webhook can create calls of every agent of the account. Defaults to false.",
    }),
  ),
  requestContextMapping: Type.Optional(
    Type.Record(
      Type.String({ maxLength: 256, pattern: DottedPath }),
      Pattern(DottedPath, 'must be a dotted path', { maxLength: 256 }),
      {
        additionalProperties: false,
        maxProperties: 100,
        description:
          "Maps fields of the webhook's request to variables of the agent's template, both as dotted paths.",
      },
    ),
  ),
};

type Prefixes<Fields> = {
  [K in keyof Fields & string as Fields[K] extends WriteOnlyMark ? `${K}Prefix` : never]: typeof Prefix;
};
type Credentials<Fields extends TProperties> = typeof callCreation & Fields & Prefixes<Fields>;
const Prefix = ReadOnly(KeyPrefix);

/** A vendor's fields, and the prefix of each secret. */
function credentials<Fields extends TProperties>(fields: Fields): Credentials<Fields> {
  const secrets = Object.keys(fields).filter((name) => SECRET_MARK in (fields[name] ?? {}));
  const prefixes = Object.fromEntries(secrets.map((name) => [`${name}Prefix`, Prefix]));
  return { ...callCreation, ...fields, ...prefixes };
}

/** Stored configuration per vendor. */
export const telephonyConfigs = ofEachTelephonyAccount(({ key, account }) =>
  defineResource(`${capitalized(key)}Config`, credentials<TProperties>(account.fields)),
) as { [P in TelephonyProvider]: Resource<Credentials<FieldsOf<P>>> };

/** The configurations that exist. */
export const AccountTelephonyConfig = Closed(
  ofEachTelephonyAccount(({ key, name }) =>
    Type.Optional(described(telephonyConfigs[key].Response, `The ${name} configuration, if there is one.`)),
  ) as {
    [P in TelephonyProvider]: TOptional<(typeof telephonyConfigs)[P]['Response']>;
  },
  'AccountTelephonyConfig',
);
export type AccountTelephonyConfig = Static<typeof AccountTelephonyConfig>;

/** Null deletes the configuration. A new configuration must have all required fields. */
export const PatchedAccountTelephonyConfig = Closed(
  ofEachTelephonyAccount(({ key, name }) =>
    Type.Optional(
      described(
        Nullable(telephonyConfigs[key].Patch),
        `The changes of the ${name} configuration; null deletes it.`,
      ),
    ),
  ) as {
    [P in TelephonyProvider]: TOptional<TUnion<[(typeof telephonyConfigs)[P]['Patch'], TNull]>>;
  },
  'PatchedAccountTelephonyConfig',
);
export type PatchedAccountTelephonyConfig = Static<typeof PatchedAccountTelephonyConfig>;

function capitalized(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1);
}
