import { telephonyVendors } from '@calls/api-client/vendors';
import type { Schemas } from '../../api/client.ts';

type Configs = Schemas['AccountTelephonyConfig'];
export type ProviderKey = keyof Configs;
export type ProviderConfig = Exclude<Configs[ProviderKey], undefined>;
export type Provider = Extract<(typeof telephonyVendors)[number], { key: ProviderKey }>;

/** The providers for which accounts store credentials. */
export const PROVIDERS = telephonyVendors.filter(
  (vendor): vendor is Provider => vendor.credentials.length > 0,
);

export const CONFIG_KEY = ['telephony config'] as const;

/** A field of a stored configuration as text; '' if it is absent. For secrets, the prefix. */
export function storedText(config: ProviderConfig | undefined, field: string): string {
  const value: unknown = config && Object.entries(config).find(([name]) => name === field)?.[1];
  if (typeof value === 'string') return value;
  const prefix: unknown = config && Object.entries(config).find(([name]) => name === `${field}Prefix`)?.[1];
  return isPrefix(prefix) ? `${prefix.prefix}…` : '';
}

function isPrefix(value: unknown): value is { prefix: string } {
  return typeof value === 'object' && value !== null && 'prefix' in value && typeof value.prefix === 'string';
}
