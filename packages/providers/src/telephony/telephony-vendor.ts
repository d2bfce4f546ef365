import { Type, type TProperties } from 'typebox';
import type { Dialect } from './dialect.ts';
import type { DialDialect } from './dialling.ts';
import type { Signature } from './signature.ts';

/**
 * A telephony vendor: everything that is specific to it. The API, the stored credentials, the console, the configuration, the
 * media streams and the webhooks are derived from the list of these.
 */
export interface TelephonyVendor<
  Key extends string = string,
  Account extends TelephonyAccount | null = TelephonyAccount | null,
> {
  /** Wire key: names the vendor in media and in stored credentials. Never changes. */
  readonly key: Key;
  readonly name: string;
  /** Protocol of its media streams. */
  readonly dialect: Dialect;
  /** For incoming and outgoing calls; null for vendors whose streams can only join calls. */
  readonly account: Account;
}

/** The credentials that an account stores for a vendor, and the vendor's API and webhooks. */
export interface TelephonyAccount<Fields extends TProperties = TProperties> {
  /** All fields are required. Secrets are marked, and sealed when stored. */
  readonly fields: Fields;
  /** An example value of each field, for the API reference. */
  readonly example: Readonly<Record<keyof Fields & string, string>>;
  /** Base URL of the vendor's API, and the variable that overrides it. */
  readonly endpoint: { readonly variable: string; readonly url: string };
  /** Separates several phone numbers in the vendor's API, so a call cannot dial a text that contains it. */
  readonly numberSeparator?: string;
  readonly dialling: DialDialect;
  /** How webhooks are signed. */
  readonly signature: Signature;
  /** The field of a webhook with the vendor's id of the phone call. */
  readonly callIdField: string;
  readonly xml: XmlVerbs;
  readonly status: StatusTable;
}

/** Verbs of the vendor's XML that differ between vendors. */
export interface XmlVerbs {
  /** Streams the call's audio to and from the URL; the next verb follows when the stream has ended. */
  stream(url: string): string;
  /** Connects the call with a SIP URI. */
  sip(uri: string): string;
}

/** Why a phone was not reached. `left`: it was answered, but the call ended before the conversation. */
export const NOT_REACHED_REASONS = ['left', 'busy', 'no_answer', 'failed', 'canceled'] as const;
export type NotReachedReason = (typeof NOT_REACHED_REASONS)[number];

/** How the vendor reports that a phone call is over. */
export interface StatusTable {
  /** Values of `CallStatus` for an ended call, with the reason why the conversation did not start. */
  readonly over: Readonly<Record<string, NotReachedReason>>;
  /** The field with details of the cause, and the text before its value. */
  readonly cause: { readonly field: string; readonly prefix: string };
}

/** Used by Twilio and by vendors with a similar REST API. */
export const TWILIO_STATUS: StatusTable = {
  over: { completed: 'left', busy: 'busy', 'no-answer': 'no_answer', failed: 'failed', canceled: 'canceled' },
  cause: { field: 'ErrorMessage', prefix: '' },
};

/** Checks a descriptor against its type, and keeps its literal types. */
export function defineTelephonyVendor<
  const Key extends string,
  const Account extends TelephonyAccount | null,
>(vendor: TelephonyVendor<Key, Account>) {
  return vendor;
}

export const Identifier = Type.String({ minLength: 1, maxLength: 128 });
