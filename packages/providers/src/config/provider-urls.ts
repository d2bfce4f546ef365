import { TTS_VENDORS, type KeyedProvider } from '@calls/api-contract/vendors/tts-vendors';
import type { EnvReader } from '@calls/foundation/env-reader';
import { url } from '@calls/foundation/variable';

/** Base URLs of the speech vendors' APIs. */
export type ProviderUrls = Readonly<Record<KeyedProvider, string>>;

export function readProviderUrls(env: EnvReader): ProviderUrls {
  const variable = (name: string, address: string) =>
    url({ protocols: ['http:', 'https:'], default: address, meaning: name });
  const urls = TTS_VENDORS.flatMap(({ key, name, endpoint }) =>
    endpoint ? [[key, env.value(endpoint.variable, variable(name, endpoint.url))]] : [],
  );
  return Object.fromEntries(urls) as ProviderUrls;
}
