import type { Dialect } from './dialect.ts';
import { exotel } from './exotel/vendor.ts';
import { plivo } from './plivo/vendor.ts';
import type { TelephonyAccount } from './telephony-vendor.ts';
import { telnyx } from './telnyx/vendor.ts';
import { twilio } from './twilio/vendor.ts';

/** Every telephony vendor with supported media streams. */
export const TELEPHONY_VENDORS = [twilio, telnyx, plivo, exotel] as const;

type Vendor = (typeof TELEPHONY_VENDORS)[number];
type AccountVendor = Exclude<Vendor, { account: null }>;
/** Wire keys of all vendors. */
export type TelephonyDialect = Vendor['key'];
/** Wire keys of the vendors for which accounts store credentials. */
export type TelephonyProvider = AccountVendor['key'];
/** The stored fields of a vendor. */
export type FieldsOf<P extends TelephonyProvider> = Extract<AccountVendor, { key: P }>['account']['fields'];

export const TELEPHONY_DIALECTS = TELEPHONY_VENDORS.map(({ key }) => key);

/** Protocols of media streams. */
export const DIALECTS = Object.fromEntries(
  TELEPHONY_VENDORS.map(({ key, dialect }) => [key, dialect]),
) as Record<TelephonyDialect, Dialect>;

/** The vendors for which accounts store credentials. */
export const TELEPHONY_ACCOUNT_VENDORS = TELEPHONY_VENDORS.filter(
  (vendor): vendor is AccountVendor => vendor.account !== null,
);

export const TELEPHONY_PROVIDERS = TELEPHONY_ACCOUNT_VENDORS.map(({ key }) => key);

/** An object with a member per vendor for which accounts store credentials. */
export function ofEachTelephonyAccount<T>(make: (vendor: AccountVendor) => T): Record<TelephonyProvider, T> {
  const members = TELEPHONY_ACCOUNT_VENDORS.map((vendor) => [vendor.key, make(vendor)]);
  return Object.fromEntries(members) as Record<TelephonyProvider, T>;
}

export const TELEPHONY_ACCOUNTS: Readonly<Record<TelephonyProvider, TelephonyAccount>> =
  ofEachTelephonyAccount(({ account }) => account);
