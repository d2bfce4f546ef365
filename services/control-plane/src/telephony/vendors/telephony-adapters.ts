import type { TelephonyProvider } from '@calls/api-contract/vendors/telephony-vendors';
import { plivo } from './plivo/adapter.ts';
import type { TelephonyAdapter } from './telephony-adapter.ts';
import { telnyx } from './telnyx/adapter.ts';
import { twilio } from './twilio/adapter.ts';

/** Adapters of all vendors in TELEPHONY_VENDORS for which accounts store credentials. */
export const TELEPHONY_ADAPTERS: Readonly<Record<TelephonyProvider, TelephonyAdapter>> = {
  telephony1: twilio,
  telephony2: telnyx,
  telephony3: plivo,
};
