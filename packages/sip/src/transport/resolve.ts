import { isIP } from 'node:net';
import { SipError, type SipSource, type SipTransportName } from '../calls.ts';
import type { SipUri } from '../message/uri.ts';

/** Resolves names. A slow name must not delay other look-ups. */
export interface NameService {
  addresses(host: string, query: NameQuery): Promise<readonly string[]>;
  /** SRV records by priority, then weight. Rejects or is empty if there are none. */
  services(name: string, query: NameQuery): Promise<readonly { host: string; port: number }[]>;
}

export interface NameQuery {
  /** Who supplied the name. */
  owner: string | undefined;
  /** Address family that the endpoint can send to. */
  family: 4 | 6;
}

export const DEFAULT_SIP_PORT = 5060;
const MAX_SERVICES = 3;

/**
 * The addresses for a request to `uri`, best first (RFC 3263 without NAPTR: UDP unless the URI says otherwise). Rejects
 * with a SipError if there are none.
 */
export async function resolveUri(uri: SipUri, names: NameService, query: NameQuery): Promise<SipSource[]> {
  const transport = transportOf(uri);
  const host = (uri.parameters.get('maddr') ?? uri.host).replaceAll(/^\[|\]$/gu, '');
  if (isIP(host) !== 0) return [{ transport, address: host, port: uri.port ?? DEFAULT_SIP_PORT }];
  const services = uri.port === null ? await servicesOf(host, transport, names, query) : [];
  const targets = services.length > 0 ? services : [{ host, port: uri.port ?? DEFAULT_SIP_PORT }];
  const found: SipSource[] = [];
  let cause: unknown;
  for (const target of targets) {
    try {
      const addresses = await names.addresses(target.host, query);
      found.push(...addresses.map((address) => ({ transport, address, port: target.port })));
    } catch (thrown) {
      cause = thrown;
    }
  }
  if (found.length === 0) throw new SipError('unreachable', 'the host has no address', { cause });
  return found;
}

function transportOf(uri: SipUri): SipTransportName {
  const transport = uri.parameters.get('transport')?.toLowerCase() ?? 'udp';
  if (uri.scheme === 'sips' || (transport !== 'udp' && transport !== 'tcp')) {
    throw new SipError('unreachable', 'only UDP and TCP are supported');
  }
  return transport;
}

async function servicesOf(
  host: string,
  transport: SipTransportName,
  names: NameService,
  query: NameQuery,
): Promise<readonly { host: string; port: number }[]> {
  if (!host.includes('.')) return [];
  try {
    return (await names.services(`_sip._${transport}.${host}`, query)).slice(0, MAX_SERVICES);
  } catch {
    return [];
  }
}
