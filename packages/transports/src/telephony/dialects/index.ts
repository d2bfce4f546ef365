import type { TelephonyDialect } from '@calls/api-contract/vendors/telephony-vendors';
import type { Dialect } from '../dialect.ts';
import { exotel } from './exotel.ts';
import { plivo } from './plivo.ts';
import { telnyx } from './telnyx.ts';
import { twilio } from './twilio.ts';

/** The stream dialect of every vendor in TELEPHONY_VENDORS. */
export const DIALECTS: Readonly<Record<TelephonyDialect, Dialect>> = {
  telephony1: twilio,
  telephony2: telnyx,
  telephony3: plivo,
  telephony4: exotel,
};
