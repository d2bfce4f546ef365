import type { TelephonyProvider } from '@calls/api-contract/rest/telephony-config';
import type { Signature } from './signature.ts';
import { telephony1Signature } from './telephony1.ts';
import { telephony2Signature } from './telephony2.ts';
import { telephony3Signature } from './telephony3.ts';

export type { SignedRequest } from './signature.ts';

export const signatures: Readonly<Record<TelephonyProvider, Signature>> = {
  telephony1: telephony1Signature,
  telephony2: telephony2Signature,
  telephony3: telephony3Signature,
};
