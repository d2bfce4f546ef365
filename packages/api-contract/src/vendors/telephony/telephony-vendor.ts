import { Type, type TProperties } from 'typebox';

/**
 * A telephony vendor: metadata for the API, the stored credentials, the console and the configuration. Data only. Its
 * stream dialect is in packages/transports, its API and webhooks in services/control-plane, both under the same wire
 * key.
 */
export interface TelephonyVendor<
  Key extends string = string,
  Account extends TelephonyAccount | null = TelephonyAccount | null,
> {
  /** Wire key: names the vendor in media and in stored credentials. Never changes. */
  readonly key: Key;
  readonly name: string;
  /**
   * Credentials that an account stores for incoming and outgoing calls; null for vendors whose streams can only join
   * calls.
   */
  readonly account: Account;
}

export interface TelephonyAccount<Fields extends TProperties = TProperties> {
  /** All fields are required. Secrets are marked, and sealed when stored. */
  readonly fields: Fields;
  /** An example value of each field, for the API reference. */
  readonly example: Readonly<Record<keyof Fields & string, string>>;
  /** Base URL of the vendor's API, and the variable that overrides it. */
  readonly endpoint: { readonly variable: string; readonly url: string };
  /** Separates several phone numbers in the vendor's API, so a call cannot dial a text that contains it. */
  readonly numberSeparator?: string;
}

/** Checks a descriptor against its type, and keeps its literal types. */
export function defineTelephonyVendor<
  const Key extends string,
  const Account extends TelephonyAccount | null,
>(vendor: TelephonyVendor<Key, Account>) {
  return vendor;
}

export const Identifier = Type.String({ minLength: 1, maxLength: 128 });
