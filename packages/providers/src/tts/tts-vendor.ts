import type { TProperties, TSchema } from 'typebox';

/** The schema of an object. */
export interface SettingsSchema extends TSchema {
  readonly properties: TProperties;
}

/** `token`: printable text without spaces. `service_account`: the JSON of a service-account key, as text. */
export type CredentialKind = 'token' | 'service_account';

/**
 * A text-to-speech vendor: what the API, the stored keys, the rules for voices, the console's form and the
 * configuration need. Data only; its adapter is in the same folder.
 */
export interface TtsVendor<Key extends string = string, Settings extends SettingsSchema = SettingsSchema> {
  /** Wire key: names the vendor in voices, in stored keys and as the engine of a call's voice. Never changes. */
  readonly key: Key;
  readonly name: string;
  /** A voice's settings as the API takes them. Its title is the schema's name in the API description. */
  readonly settings: Settings;
  /** Settings that decide what speech costs: a call cannot override them. */
  readonly priceFields: readonly (string & keyof Settings['properties'])[];
  /** Settings that the console always shows; the others are shown on demand. */
  readonly mainFields: readonly (string & keyof Settings['properties'])[];
  /** Labels of settings by path, where the words of the path are not a good label. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What the account stores to speak with this vendor; null: nothing. */
  readonly credential: CredentialKind | null;
  /** Address of the vendor's API without a path, and the variable that replaces it; null: the voice's settings have it. */
  readonly endpoint: { readonly variable: string; readonly url: string } | null;
}

/** Checks a descriptor against its type, and keeps its literal types. */
export function defineTtsVendor<
  const Key extends string,
  Settings extends SettingsSchema,
  const Rest extends Omit<TtsVendor<Key, Settings>, 'key' | 'settings'>,
>(vendor: { readonly key: Key; readonly settings: Settings } & Rest) {
  return vendor;
}
