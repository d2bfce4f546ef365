import type { TelephonyProvider } from '@calls/api-contract/rest/telephony-config';
import type { DialDialect } from './dialect.ts';
import { telephony1Dialling } from './telephony1.ts';
import { telephony2Dialling } from './telephony2.ts';
import { telephony3Dialling } from './telephony3.ts';

export const dialDialects: Readonly<Record<TelephonyProvider, DialDialect>> = {
  telephony1: telephony1Dialling,
  telephony2: telephony2Dialling,
  telephony3: telephony3Dialling,
};
