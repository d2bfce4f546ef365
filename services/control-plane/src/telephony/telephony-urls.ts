import {
  ofEachTelephonyAccount,
  type TelephonyProvider,
} from '@calls/api-contract/vendors/telephony-vendors';
import type { EnvReader } from '@calls/foundation/env-reader';
import { url } from '@calls/foundation/variable';

/** Addresses of the vendors' APIs, without a path. */
export type TelephonyUrls = Readonly<Record<TelephonyProvider, string>>;

export function readTelephonyUrls(env: EnvReader): TelephonyUrls {
  return ofEachTelephonyAccount(({ name, account: { endpoint } }) =>
    env.value(
      endpoint.variable,
      url({ protocols: ['http:', 'https:'], default: endpoint.url, meaning: name }),
    ),
  );
}
