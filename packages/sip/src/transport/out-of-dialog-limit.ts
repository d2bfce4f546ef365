import { networkOf } from '@calls/foundation/address-network';
import { TokenBucket } from '@calls/foundation/token-bucket';
import type { SipLimits } from '../endpoint-options.ts';

const MAX_SOURCES = 10_000;
/** How long a source counts as a peer after its last admitted INVITE. */
const PEER_MS = 600_000;

type OutOfDialogLimits = Pick<
  SipLimits,
  'peerBurst' | 'peerPerSecond' | 'unknownSourceBurst' | 'unknownSourcePerSecond'
>;

interface Peer {
  bucket: TokenBucket;
  untilMs: number;
}

/**
 * Limits requests outside of calls. Each source has its own bucket, so forged sources cannot exhaust that of others;
 * the least recently used source is dropped first. Pure: the caller passes the time.
 */
export class OutOfDialogLimit {
  readonly #limits: OutOfDialogLimits;
  readonly #unknownSources = new RecentSources<TokenBucket>();
  readonly #peers = new RecentSources<Peer>();

  constructor(limits: OutOfDialogLimits) {
    this.#limits = limits;
  }

  /** False if the request must not be answered. */
  take(address: string, nowMs: number): boolean {
    const source = networkOf(address);
    const peer = this.#peerOf(source, nowMs);
    if (peer) return peer.bucket.take(nowMs);
    const { unknownSourceBurst: burst, unknownSourcePerSecond: perSecond } = this.#limits;
    const bucket = this.#unknownSources.get(source) ?? new TokenBucket({ burst, perSecond }, nowMs);
    this.#unknownSources.set(source, bucket);
    return bucket.take(nowMs);
  }

  isPeer(address: string, nowMs: number): boolean {
    return this.#peerOf(networkOf(address), nowMs) !== null;
  }

  /** Records an admitted INVITE of a peer. */
  trust(address: string, nowMs: number): void {
    const source = networkOf(address);
    const { peerBurst: burst, peerPerSecond: perSecond } = this.#limits;
    const bucket = this.#peers.get(source)?.bucket ?? new TokenBucket({ burst, perSecond }, nowMs);
    this.#peers.set(source, { bucket, untilMs: nowMs + PEER_MS });
  }

  #peerOf(source: string, nowMs: number): Peer | null {
    const peer = this.#peers.get(source);
    return peer && nowMs < peer.untilMs ? peer : null;
  }
}

class RecentSources<T> {
  /** In order of last use. */
  readonly #values = new Map<string, T>();

  get(source: string): T | undefined {
    const value = this.#values.get(source);
    if (value !== undefined) this.set(source, value);
    return value;
  }

  set(source: string, value: T): void {
    this.#values.delete(source);
    this.#values.set(source, value);
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size > MAX_SOURCES) this.#values.delete(oldest);
  }
}
