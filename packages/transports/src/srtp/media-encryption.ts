import { randomBytes } from 'node:crypto';
import { isSrtpSuite, masterKeyBytes, SRTP_SUITES, type SrtpKeys, type SrtpSuite } from './srtp-suite.ts';
import type { NegotiatedDtls } from '../dtls/dtls-description.ts';

/** How both sides agree on keys: in SDP (`a=crypto`), or by DTLS. */
export type KeyExchange = 'sdes' | 'dtls';

/** The encryption of both directions. */
export type NegotiatedEncryption = MediaKeys | NegotiatedDtls;

/** An `a=crypto` attribute with a supported suite (RFC 4568). */
export interface CryptoAttribute {
  tag: number;
  keys: SrtpKeys;
}

/** The keys of both directions, from SDP. */
export interface MediaKeys {
  type: 'sdes';
  /** Tag of the accepted attribute. */
  tag: number;
  send: SrtpKeys;
  receive: SrtpKeys;
}

interface ParsedCrypto {
  id: number;
  suite: string;
  config: string;
  sessionConfig?: string | undefined;
}

const MAX_ATTRIBUTES = 32;
const SUITES = (Object.keys(SRTP_SUITES) as SrtpSuite[]).map((suite, i) => ({ suite, tag: i + 1 }));
/** One key, optionally with a lifetime. A master key identifier (`|1:4`) would be in each packet; it is not supported. */
const INLINE_KEY = /^inline:(?<key>[A-Za-z0-9+/]+={0,2})(?:\|(?:2\^)?\d+)?$/u;

/** The supported attributes, in the peer's order. Those with session parameters are not. */
export function readCryptoAttributes(parsed: readonly ParsedCrypto[] = []): CryptoAttribute[] {
  return parsed.slice(0, MAX_ATTRIBUTES).flatMap(({ id, suite, config, sessionConfig }) => {
    const key = INLINE_KEY.exec(config)?.groups?.['key'];
    if (!isSrtpSuite(suite) || key === undefined || sessionConfig) return [];
    const master = Buffer.from(key, 'base64');
    return master.length === masterKeyBytes(suite) ? [{ tag: id, keys: { suite, master } }] : [];
  });
}

export function cryptoLine({ tag, keys: { suite, master } }: CryptoAttribute): string {
  return `a=crypto:${tag} ${suite} inline:${Buffer.from(master).toString('base64')}`;
}

/**
 * The local keys of one call: one per suite, the same in all descriptions for one party. Another party needs new keys,
 * because it does not know how often the sequence numbers have wrapped.
 */
export class LocalMediaKeys {
  readonly #keys = new Map<SrtpSuite, SrtpKeys>();
  /** Keys of the peer in the last negotiation; null if the local keys were not agreed on. */
  #peers: SrtpKeys | null = null;

  offer(): CryptoAttribute[] {
    return SUITES.map(({ suite, tag }) => ({ tag, keys: this.#of(suite) }));
  }

  /** Accepts the first attribute of an offer, or the one of an answer to `offer`. Null if there is none. */
  negotiate(attributes: readonly CryptoAttribute[], isAnswer: boolean): MediaKeys | null {
    const accepted = attributes.find(
      ({ tag, keys }) =>
        !isAnswer || SUITES.some((offered) => offered.tag === tag && offered.suite === keys.suite),
    );
    if (!accepted) return null;
    const { tag, keys } = accepted;
    // An intermediate server may have connected another party.
    if (this.#peers && !isAnswer && !isSameKeys(this.#peers, keys)) this.renew();
    this.#peers = keys;
    return { type: 'sdes', tag, send: this.#of(keys.suite), receive: keys };
  }

  /** Creates new keys, because later descriptions are for another party. */
  renew(): void {
    if (this.#peers) this.#keys.clear();
    this.#peers = null;
  }

  #of(suite: SrtpSuite): SrtpKeys {
    const existing = this.#keys.get(suite);
    if (existing) return existing;
    const keys = { suite, master: randomBytes(masterKeyBytes(suite)) };
    this.#keys.set(suite, keys);
    return keys;
  }
}

export function isSameKeys(a: SrtpKeys | undefined, b: SrtpKeys | undefined): boolean {
  if (!a || !b) return a === b;
  return a.suite === b.suite && Buffer.compare(a.master, b.master) === 0;
}
