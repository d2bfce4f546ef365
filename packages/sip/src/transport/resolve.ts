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

const DEFAULT_PORT = 5060;
const DEFAULT_TLS_PORT = 5061;
const MAX_SERVICES = 3;

export interface ResolveQuery extends NameQuery {
  /** Whether requests can be sent over TLS. */
  hasTls: boolean;
}

/**
 * The addresses for a request to `uri`, best first (RFC 3263 without NAPTR: UDP unless the URI says otherwise). Rejects
 * with a SipError if there are none.
 */
export async function resolveUri(uri: SipUri, names: NameService, query: ResolveQuery): Promise<SipSource[]> {
  const transport = transportOf(uri);
  const port = uri.port ?? (transport === 'tls' ? DEFAULT_TLS_PORT : DEFAULT_PORT);
  if (transport === 'tls' && !query.hasTls) throw new SipError('unreachable', 'TLS is not configured');
  const host = withoutBrackets(uri.parameters.get('maddr') ?? uri.host);
  // The certificate names the host of the URI, not that of an SRV record (RFC 5922, 4).
  const to = { transport, ...(transport === 'tls' && { serverName: withoutBrackets(uri.host) }) };
  if (isIP(host) !== 0) return [{ ...to, address: host, port }];
  const services = uri.port === null ? await servicesOf(host, transport, names, query) : [];
  const targets = services.length > 0 ? services : [{ host, port }];
  const found: SipSource[] = [];
  let cause: unknown;
  for (const target of targets) {
    try {
      const addresses = await names.addresses(target.host, query);
      found.push(...addresses.map((address) => ({ ...to, address, port: target.port })));
    } catch (thrown) {
      cause = thrown;
    }
  }
  if (found.length === 0) throw new SipError('unreachable', 'the host has no address', { cause });
  return found;
}

function transportOf(uri: SipUri): SipTransportName {
  const transport = uri.parameters.get('transport')?.toLowerCase();
  if (uri.scheme === 'sips' && transport !== 'udp') return 'tls';
  if (transport === undefined) return 'udp';
  if (uri.scheme === 'sip' && (transport === 'udp' || transport === 'tcp' || transport === 'tls'))
    return transport;
  throw new SipError('unreachable', 'only UDP, TCP and TLS are supported');
}

function withoutBrackets(host: string): string {
  return host.replaceAll(/^\[|\]$/gu, '');
}

async function servicesOf(
  host: string,
  transport: SipTransportName,
  names: NameService,
  query: NameQuery,
): Promise<readonly { host: string; port: number }[]> {
  if (!host.includes('.')) return [];
  try {
    const service = transport === 'tls' ? '_sips._tcp' : `_sip._${transport}`;
    return (await names.services(`${service}.${host}`, query)).slice(0, MAX_SERVICES);
  } catch {
    return [];
  }
}
