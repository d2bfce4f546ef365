import type { TelephonyProvider } from '@calls/api-contract/rest/telephony-config';
import type { EnvReader } from '@calls/foundation/env-reader';

/** Where the providers' APIs are, without a path. */
export type TelephonyUrls = Readonly<Record<TelephonyProvider, string>>;

export function readTelephonyUrls(env: EnvReader): TelephonyUrls {
  const url = (name: string, fallback: string): string => env.url(name, ['http:', 'https:'], fallback);
  return {
    telephony1: url('TELEPHONY1_BASE_URL', 'https://api.twilio.com'),
    telephony2: url('TELEPHONY2_BASE_URL', 'https://api.telnyx.com'),
    telephony3: url('TELEPHONY3_BASE_URL', 'https://api.plivo.com'),
  };
}
