import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { BoundedCache } from '@calls/foundation/bounded-cache';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { HostsFile } from './hosts-file.ts';
import { KeyedSlots } from './keyed-slots.ts';
import { OutboundError } from './outbound-error.ts';
import { isLocalhost, LOOPBACK } from './url-guard.ts';

/** Resolves names that customers supply. */
export interface NameResolver {
  /**
   * The addresses of a name, or those of one `family`, in preferred order. Rejects if there are none. `owner`: who
   * supplied the name, such as an account; its concurrent look-ups are limited.
   */
  addresses(
    hostname: string,
    options?: { owner?: string | undefined; family?: 4 | 6 | undefined },
  ): Promise<readonly string[]>;
  /** SRV records by priority, within a priority at random by weight (RFC 2782). Rejects if there are none. */
  services(name: string, options?: { owner?: string | undefined }): Promise<{ host: string; port: number }[]>;
  /** NAPTR records by order, then preference (RFC 3403). Rejects if there are none. */
  pointers(name: string, options?: { owner?: string | undefined }): Promise<NamePointer[]>;
}

/** A NAPTR record without a regular expression. */
export interface NamePointer {
  flags: string;
  service: string;
  replacement: string;
}

export interface NameResolverOptions {
  /** Name servers, with or without port; null uses those of the machine. */
  servers?: readonly string[] | null;
  clock?: Pick<Clock, 'nowMs'>;
  hostsPath?: string;
  limits?: NameLimits;
  /** From 0 to below 1. */
  random?: () => number;
}

interface NameLimits {
  /** Maximum number of concurrent look-ups; further ones fail immediately. */
  lookups: number;
  /** Maximum number of concurrent look-ups per owner; further ones wait. */
  lookupsPerOwner: number;
  waitingPerOwner: number;
}

const DEFAULT_LIMITS: NameLimits = { lookups: 2000, lookupsPerOwner: 8, waitingPerOwner: 64 };
const QUERY_LIMIT_MS = 2000;
const TRIES = 2;
const MAX_CACHED = 1000;
/** Upper limit of the TTL of records. */
const MAX_CACHED_MS = 60_000;

/**
 * Queries name servers directly: unlike `getaddrinfo`, this does not occupy the process's few threads, so slow names do
 * not delay others. Uses /etc/hosts first, resolves `localhost` to this machine, and ignores search domains.
 */
export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  const { servers = null, clock = systemClock, limits = DEFAULT_LIMITS, random = Math.random } = options;
  const dns = new DnsResolver({ timeout: QUERY_LIMIT_MS, maxTimeout: QUERY_LIMIT_MS, tries: TRIES });
  if (servers !== null) dns.setServers(servers);
  const hosts = new HostsFile(clock, options.hostsPath);
  const lookups = new Lookups(limits);
  const cache = new BoundedCache<{ addresses: readonly string[]; untilMs: number }>(MAX_CACHED);

  const queried = async (
    name: string,
    family: 4 | 6,
    owner: string | undefined,
  ): Promise<readonly string[]> => {
    const key = `${family} ${name}`;
    const known = cache.get(key);
    if (known && known.untilMs > clock.nowMs()) return known.addresses;
    const records = await lookups.run(key, owner, () =>
      family === 4 ? dns.resolve4(name, { ttl: true }) : dns.resolve6(name, { ttl: true }),
    );
    const addresses = records.map(({ address }) => address);
    const ttlMs = Math.min(MAX_CACHED_MS, ...records.map(({ ttl }) => ttl * 1000));
    if (ttlMs > 0) cache.set(key, { addresses, untilMs: clock.nowMs() + ttlMs }, 1);
    return addresses;
  };

  return {
    async addresses(hostname, { owner, family } = {}) {
      const name = hostname.toLowerCase().replace(/\.$/u, '');
      const isWanted = (address: string): boolean => family === undefined || isIP(address) === family;
      if (isIP(name) !== 0) return [name].filter(isWanted);
      const own = isLocalhost(name) ? LOOPBACK : await hosts.addressesOf(name);
      const wanted = own.filter(isWanted);
      if (wanted.length > 0) return wanted;
      const families = family === undefined ? ([4, 6] as const) : [family];
      const results = await Promise.allSettled(families.map((each) => queried(name, each, owner)));
      const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      const failed = results.find((result) => result.status === 'rejected');
      if (found.length === 0 && failed) throw failed.reason;
      return found;
    },
    async services(name, { owner } = {}) {
      const records = await lookups.run(`SRV ${name.toLowerCase()}`, owner, () => dns.resolveSrv(name));
      return records
        .map((record) => ({ record, rank: -Math.log(1 - random()) / record.weight }))
        .toSorted((a, b) => a.record.priority - b.record.priority || a.rank - b.rank)
        .map(({ record }) => ({ host: record.name, port: record.port }));
    },
    async pointers(name, { owner } = {}) {
      const records = await lookups.run(`NAPTR ${name.toLowerCase()}`, owner, () => dns.resolveNaptr(name));
      return records
        .filter(({ regexp }) => regexp === '')
        .toSorted((a, b) => a.order - b.order || a.preference - b.preference)
        .map(({ flags, service, replacement }) => ({ flags, service, replacement }));
    },
  };
}

/** Running look-ups; concurrent requests for the same name share one. */
class Lookups {
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Look-ups by owner, including waiting ones. */
  readonly #byOwner = new Map<string, Promise<unknown>>();
  readonly #limits: NameLimits;
  readonly #slots: KeyedSlots;

  constructor(limits: NameLimits) {
    this.#limits = limits;
    this.#slots = new KeyedSlots({ perKey: limits.lookupsPerOwner, waitingPerKey: limits.waitingPerOwner });
  }

  /** Look-ups with the same `key` must return the same type. */
  run<T>(key: string, owner: string | undefined, resolve: () => Promise<T>): Promise<T> {
    const start = (): Promise<T> => shared(this.#underWay, key, () => this.#started(resolve));
    // A look-up that another owner waits for is not shared, because that owner may have to wait long.
    if (owner === undefined || this.#underWay.has(key)) return start();
    return shared(this.#byOwner, `${owner} ${key}`, async () => {
      const release = await this.#slots.acquire(owner);
      try {
        return await start();
      } finally {
        release();
      }
    });
  }

  async #started<T>(resolve: () => Promise<T>): Promise<T> {
    if (this.#underWay.size < this.#limits.lookups) return resolve();
    throw new OutboundError('outbound_failed', 'too many concurrent name look-ups', { retryable: true });
  }
}

/** The running look-up of `key`, or a new one. */
function shared<T>(
  running: Map<string, Promise<unknown>>,
  key: string,
  resolve: () => Promise<T>,
): Promise<T> {
  const underWay = running.get(key) as Promise<T> | undefined;
  if (underWay) return underWay;
  const lookup = resolve().finally(() => running.delete(key));
  running.set(key, lookup);
  return lookup;
}

/** `9.9.9.9`, `9.9.9.9:53`, `2620:fe::fe` or `[2620:fe::fe]:53`. */
export function isNameServer(text: string): boolean {
  if (isIP(text) !== 0) return !text.includes('%');
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/u.exec(text) ?? [];
  const isAddress = isIP(bracketed ?? '') === 6 || isIP(plain ?? '') === 4;
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}
