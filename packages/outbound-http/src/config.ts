import type { EnvReader } from '@calls/foundation';
import type { AllowedNetworks } from './address-guard.ts';
import { isNetwork } from './networks.ts';

export interface OutboundConfig {
  allowPrivateNetworks: AllowedNetworks;
}

/** Faults are collected in `env`; its owner calls `finish`. */
export function readOutboundConfig(env: EnvReader): OutboundConfig {
  const text = env.optional('OUTBOUND_ALLOW_PRIVATE') ?? 'false';
  if (text === 'true' || text === '1') return { allowPrivateNetworks: true };
  if (text === 'false' || text === '0') return { allowPrivateNetworks: false };
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork)) {
    env.fault(
      `OUTBOUND_ALLOW_PRIVATE must be true, false or networks such as 10.0.0.0/8,fd00::/8, not "${text}"`,
    );
    return { allowPrivateNetworks: false };
  }
  return { allowPrivateNetworks: networks };
}
