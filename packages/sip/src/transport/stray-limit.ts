import { networkOf } from '@calls/foundation/address-network';
import { Allowance } from '@calls/foundation/allowance';
import type { SipLimits } from '../endpoint-options.ts';

const MAX_SOURCES = 10_000;
/** How long a source counts as a peer after its last admitted INVITE. */
const PEER_MS = 600_000;

type StrayLimits = Pick<SipLimits, 'peerBurst' | 'peerPerSecond' | 'strayBurst' | 'strayPerSecond'>;

interface Peer {
  allowance: Allowance;
  untilMs: number;
}

/**
 * Limits requests outside of calls. Each source has its own allowance, so forged sources cannot exhaust that of others;
 * the least recently used source is dropped first. Pure: the caller passes the time.
 */
export class StrayLimit {
  readonly #limits: StrayLimits;
  readonly #strangers = new RecentSources<Allowance>();
  readonly #peers = new RecentSources<Peer>();

  constructor(limits: StrayLimits) {
    this.#limits = limits;
  }

  /** False if the request must not be answered. */
  take(address: string, nowMs: number): boolean {
    const source = networkOf(address);
    const peer = this.#peerOf(source, nowMs);
    if (peer) return peer.allowance.take(nowMs);
    const { strayBurst: burst, strayPerSecond: perSecond } = this.#limits;
    const allowance = this.#strangers.get(source) ?? new Allowance({ burst, perSecond }, nowMs);
    this.#strangers.set(source, allowance);
    return allowance.take(nowMs);
  }

  isPeer(address: string, nowMs: number): boolean {
    return this.#peerOf(networkOf(address), nowMs) !== null;
  }

  /** Records an admitted INVITE of a peer. */
  trust(address: string, nowMs: number): void {
    const source = networkOf(address);
    const { peerBurst: burst, peerPerSecond: perSecond } = this.#limits;
    const allowance = this.#peers.get(source)?.allowance ?? new Allowance({ burst, perSecond }, nowMs);
    this.#peers.set(source, { allowance, untilMs: nowMs + PEER_MS });
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
