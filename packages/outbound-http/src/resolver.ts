import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** All addresses of a name, in the order in which to try them. Rejects where there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const QUERY_LIMIT_MS = 2000;
const TRIES = 2;

/**
 * Asks these name servers, or the machine's, directly: unlike `getaddrinfo` this holds none of the process's few threads, so
 * that a name whose servers are slow delays nobody else. /etc/hosts and search domains are not looked at.
 */
export function createDnsResolve(servers: readonly string[] | null = null): Resolve {
  const resolver = new DnsResolver({ timeout: QUERY_LIMIT_MS, tries: TRIES });
  if (servers !== null) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason;
    return addresses;
  };
}

/** `9.9.9.9`, `9.9.9.9:53`, `2620:fe::fe` or `[2620:fe::fe]:53`. */
export function isNameServer(text: string): boolean {
  if (isIP(text) !== 0) return !text.includes('%');
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/u.exec(text) ?? [];
  const isAddress = isIP(bracketed ?? '') === 6 || isIP(plain ?? '') === 4;
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}
