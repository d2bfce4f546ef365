import type { EnvReader } from '@calls/foundation/env-reader';
import type { AllowedNetworks } from './address-guard.ts';
import { isNetwork } from './networks.ts';
import { isNameServer } from './name-resolver.ts';

export interface OutboundConfig {
  allowPrivateNetworks: AllowedNetworks;
  /** Addresses, each with a port or without, of who is asked for names; null: the machine's own name servers. */
  nameServers?: readonly string[] | null;
}

/** Faults are collected in `env`; its owner calls `finish`. */
export function readOutboundConfig(env: EnvReader): Required<OutboundConfig> {
  return { allowPrivateNetworks: readAllowed(env), nameServers: readNameServers(env) };
}

function readAllowed(env: EnvReader): AllowedNetworks {
  const text = env.optional('OUTBOUND_ALLOW_PRIVATE') ?? 'false';
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  const networks = listed(text);
  if (networks.every(isNetwork)) return networks;
  env.fault(
    `OUTBOUND_ALLOW_PRIVATE must be true, false or networks such as 10.0.0.0/8,fd00::/8, not "${text}"`,
  );
  return false;
}

function readNameServers(env: EnvReader): string[] | null {
  const text = env.optional('OUTBOUND_DNS_SERVERS');
  if (text === undefined) return null;
  const servers = listed(text);
  if (servers.every(isNameServer)) return servers;
  env.fault(`OUTBOUND_DNS_SERVERS must be addresses such as 9.9.9.9,[2620:fe::fe]:53, not "${text}"`);
  return null;
}

function listed(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}
