import { TTS_VENDORS, type KeyedProvider } from '@calls/api-contract/vendors/tts-vendors';
import type { EnvReader } from '@calls/foundation/env-reader';

/** Base URLs of the speech vendors' APIs. */
export type ProviderUrls = Readonly<Record<KeyedProvider, string>>;

export function readProviderUrls(env: EnvReader): ProviderUrls {
  const urls = TTS_VENDORS.flatMap(({ key, endpoint }) =>
    endpoint ? [[key, env.url(endpoint.variable, ['http:', 'https:'], endpoint.url)]] : [],
  );
  return Object.fromEntries(urls) as ProviderUrls;
}
