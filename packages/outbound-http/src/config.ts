import type { EnvReader } from '@calls/foundation/env-reader';
import { InvalidVariableError, parsed } from '@calls/foundation/variable';
import type { AllowedNetworks } from './address-guard.ts';
import { isNetwork } from './networks.ts';
import { isNameServer } from './name-resolver.ts';

export interface OutboundConfig {
  allowPrivateNetworks: AllowedNetworks;
  /** Name servers, with or without port; null uses those of the machine. */
  nameServers?: readonly string[] | null;
}

const VARIABLES = {
  OUTBOUND_ALLOW_PRIVATE: parsed<AllowedNetworks, { default: AllowedNetworks }>({
    parse: allowedNetworks,
    default: false,
    defaultText: 'false',
    placeholder: false,
    meaning: "Private networks that requests to customers' URLs may also reach.",
  }),
  OUTBOUND_DNS_SERVERS: parsed<readonly string[] | null, { unset: string }>({
    parse: nameServers,
    unset: "the machine's",
    placeholder: null,
    meaning: "DNS servers for names in customers' URLs.",
  }),
};

/** Issues are collected in `env`; the caller calls `finish`. */
export function readOutboundConfig(env: EnvReader): Required<OutboundConfig> {
  const values = env.read(VARIABLES);
  return { allowPrivateNetworks: values.OUTBOUND_ALLOW_PRIVATE, nameServers: values.OUTBOUND_DNS_SERVERS };
}

function allowedNetworks(text: string): AllowedNetworks {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  const networks = listed(text);
  if (networks.every(isNetwork)) return networks;
  throw new InvalidVariableError(
    `must be true, false or networks such as 10.0.0.0/8,fd00::/8, not "${text}"`,
  );
}

function nameServers(text: string): string[] {
  const servers = listed(text);
  if (servers.every(isNameServer)) return servers;
  throw new InvalidVariableError(`must be addresses such as 9.9.9.9,[2620:fe::fe]:53, not "${text}"`);
}

function listed(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}
