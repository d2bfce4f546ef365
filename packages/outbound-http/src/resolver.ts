import { Resolver as DnsResolver } from 'node:dns/promises';

/** All addresses of a name, in the order in which to try them. Rejects where there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const QUERY_LIMIT_MS = 2000;
const TRIES = 2;

/**
 * Asks the machine's name servers directly: unlike `getaddrinfo` this holds none of the process's few threads, so that a
 * name whose servers are slow delays nobody else. /etc/hosts and search domains are not looked at.
 */
export function createDnsResolve(servers?: readonly string[]): Resolve {
  const resolver = new DnsResolver({ timeout: QUERY_LIMIT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failed) throw failed.reason;
    return addresses;
  };
}
