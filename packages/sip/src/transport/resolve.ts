import { isIP } from 'node:net';
import { familyOf } from '@calls/foundation/address-network';
import { SipError, type SipSource, type SipTransportName } from '../calls.ts';
import type { SipUri } from '../message/uri.ts';
import { withoutBrackets } from './endpoint-sides.ts';

/** Resolves names. A slow name must not delay other look-ups. */
export interface NameService {
  addresses(host: string, query: NameQuery): Promise<readonly string[]>;
  /** SRV records, best first. Rejects or is empty if there are none. */
  services(name: string, query: NameQuery): Promise<readonly { host: string; port: number }[]>;
  /** NAPTR records, best first. Rejects or is empty if there are none. */
  pointers(
    name: string,
    query: NameQuery,
  ): Promise<readonly { flags: string; service: string; replacement: string }[]>;
}

export interface NameQuery {
  /** Who supplied the name. */
  owner: string | undefined;
  /** The only address family that the endpoint can send to; undefined if it can send to both. */
  family: 4 | 6 | undefined;
}

export interface ResolveQuery {
  /** Who supplied the URI. */
  owner: string | undefined;
  /** Address families that the endpoint can send to. */
  families: readonly (4 | 6)[];
  /** Whether requests can be sent over TLS. */
  hasTls: boolean;
}

/** A host and port over one transport. */
interface Target {
  transport: SipTransportName;
  host: string;
  port: number;
}

const DEFAULT_PORT = 5060;
const DEFAULT_TLS_PORT = 5061;
/** Maximum number of hosts, and of addresses in total. */
const MAX_HOSTS = 6;
const MAX_ADDRESSES = 8;
const SERVICES: Readonly<Record<SipTransportName, string>> = {
  udp: '_sip._udp',
  tcp: '_sip._tcp',
  tls: '_sips._tcp',
};
/** NAPTR services (RFC 3263, 4.1). */
const POINTER_SERVICES: Readonly<Record<string, SipTransportName>> = {
  'sip+d2u': 'udp',
  'sip+d2t': 'tcp',
  'sips+d2t': 'tls',
};

/**
 * The addresses for a request to `uri`, best first (RFC 3263). Without a transport in the URI, NAPTR and SRV records
 * decide; without these, it is UDP. Rejects with a SipError if there are none.
 */
export async function resolveUri(
  uri: SipUri,
  names: NameService,
  { owner, families, hasTls }: ResolveQuery,
): Promise<SipSource[]> {
  const query = { owner, family: families.length > 1 ? undefined : families[0], hasTls };
  const transports = transportsOf(uri, hasTls);
  const [transport] = transports;
  const port = uri.port ?? (transport === 'tls' ? DEFAULT_TLS_PORT : DEFAULT_PORT);
  const host = withoutBrackets(uri.parameters.get('maddr') ?? uri.host);
  const own: Target = { transport, host, port };
  const isFixed = isIP(host) !== 0 || uri.port !== null || !host.includes('.');
  const targets = isFixed ? [] : await targetsOf(host, uri, transports, names, query);
  // The certificate names the host of the URI, not that of an SRV record (RFC 5922, 4).
  const serverName = withoutBrackets(uri.host);
  return addressesOf(targets.length > 0 ? targets : [own], serverName, names, query);
}

/** The transports that the URI allows, best first. */
function transportsOf(
  { scheme, parameters }: SipUri,
  hasTls: boolean,
): [SipTransportName, ...SipTransportName[]] {
  const given = parameters.get('transport')?.toLowerCase();
  const isTls = scheme === 'sips' ? given !== 'udp' : given === 'tls';
  if (isTls && !hasTls) throw new SipError('unreachable', 'TLS is not configured');
  if (isTls) return ['tls'];
  if (scheme === 'sip' && (given === 'udp' || given === 'tcp')) return [given];
  if (given === undefined) return ['udp', 'tcp'];
  throw new SipError('unreachable', 'only UDP, TCP and TLS are supported');
}

/**
 * Targets from NAPTR records, or else from SRV records. All are looked up at the same time, because missing records can
 * take seconds.
 */
async function targetsOf(
  host: string,
  uri: SipUri,
  transports: readonly SipTransportName[],
  names: NameService,
  query: NameQuery & Pick<ResolveQuery, 'hasTls'>,
): Promise<Target[]> {
  const services = (transport: SipTransportName, name: string): Promise<Target[]> =>
    names.services(name, query).then(
      (found) => found.map((each) => ({ transport, ...each })),
      () => [],
    );
  const [pointers, ...direct] = await Promise.all([
    uri.parameters.has('transport') ? [] : names.pointers(host, query).catch(() => []),
    ...transports.map((transport) => services(transport, `${SERVICES[transport]}.${host}`)),
  ]);
  const pointed = pointers.slice(0, MAX_HOSTS).flatMap(({ flags, service, replacement }) => {
    const transport = POINTER_SERVICES[service.toLowerCase()];
    const isUsable = transport === 'tls' ? query.hasTls : uri.scheme === 'sip';
    return transport && isUsable && flags.toLowerCase() === 's' ? [{ transport, replacement }] : [];
  });
  const found = await Promise.all(
    pointed.map(({ transport, replacement }) => services(transport, replacement)),
  );
  const targets = found.flat();
  return (targets.length > 0 ? targets : direct.flat()).slice(0, MAX_HOSTS);
}

async function addressesOf(
  targets: readonly Target[],
  serverName: string,
  names: NameService,
  query: NameQuery,
): Promise<SipSource[]> {
  const found = await Promise.allSettled(
    targets.map(async ({ transport, host, port }) => {
      const known = isIP(host) === 0 ? await names.addresses(host, query) : [host];
      const addresses = known.filter((address) => [undefined, familyOf(address)].includes(query.family));
      return addresses.map((address): SipSource => ({
        transport,
        address,
        port,
        ...(transport === 'tls' && { serverName }),
      }));
    }),
  );
  const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length > 0) return addresses.slice(0, MAX_ADDRESSES);
  const cause: unknown = found.find((each) => each.status === 'rejected')?.reason;
  throw new SipError('unreachable', 'the host has no address', { cause });
}
