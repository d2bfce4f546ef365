import type { TelephonyDialect } from '@calls/api-contract/call-spec';
import type { Dialect } from '../dialect.ts';
import { telephony1 } from './telephony1.ts';
import { telephony2 } from './telephony2.ts';
import { telephony3 } from './telephony3.ts';
import { telephony4 } from './telephony4.ts';

export const DIALECTS: Readonly<Record<TelephonyDialect, Dialect>> = {
  telephony1,
  telephony2,
  telephony3,
  telephony4,
};
