import { Type, type TProperties } from 'typebox';

/**
 * A telephony vendor: what the API, the stored credentials, the console and the configuration need to know of it. Data only. Its
 * stream dialect is in packages/transports, its API and webhooks in services/control-plane, both under the same wire key.
 */
export interface TelephonyVendor<
  Key extends string = string,
  Account extends TelephonyAccount | null = TelephonyAccount | null,
> {
  /** Wire key: names the vendor in media and in stored credentials. Never changes. */
  readonly key: Key;
  readonly name: string;
  /** What an account stores to be called and to dial; null: the vendor's streams join calls, and nothing more. */
  readonly account: Account;
}

export interface TelephonyAccount<Fields extends TProperties = TProperties> {
  /** All are required. Secrets are marked, and sealed where they are stored. */
  readonly fields: Fields;
  /** A value of each field, for the API reference. */
  readonly example: Readonly<Record<keyof Fields & string, string>>;
  /** Address of the vendor's API without a path, and the variable that replaces it. */
  readonly endpoint: { readonly variable: string; readonly url: string };
  /** In the vendor's API separates several phone numbers: a call cannot dial such a text. */
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
