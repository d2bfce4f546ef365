import {
  ofEachTelephonyAccount,
  type TelephonyProvider,
} from '@calls/api-contract/vendors/telephony-vendors';
import type { EnvReader } from '@calls/foundation/env-reader';

/** Addresses of the vendors' APIs, without a path. */
export type TelephonyUrls = Readonly<Record<TelephonyProvider, string>>;

export function readTelephonyUrls(env: EnvReader): TelephonyUrls {
  return ofEachTelephonyAccount(({ account: { endpoint } }) =>
    env.url(endpoint.variable, ['http:', 'https:'], endpoint.url),
  );
}
