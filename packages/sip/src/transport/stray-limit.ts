import { networkOf } from '@calls/foundation/address-network';
import { Allowance } from '@calls/foundation/allowance';
import type { SipLimits } from '../endpoint-options.ts';

const MAX_SOURCES = 10_000;
/** How long a source whose INVITE was admitted as a peer's counts as a peer, from the last one on. */
const PEER_MS = 600_000;

type StrayLimits = Pick<SipLimits, 'peerBurst' | 'peerPerSecond' | 'strayBurst' | 'strayPerSecond'>;

interface Peer {
  allowance: Allowance;
  untilMs: number;
}

/**
 * How many requests that belong to no call are looked at: each source has its own allowance, which no other can use up. Forged
 * sources are forgotten in the order of their last use. Pure: time comes with each.
 */
export class StrayLimit {
  readonly #limits: StrayLimits;
  readonly #strangers = new RecentSources<Allowance>();
  readonly #peers = new RecentSources<Peer>();

  constructor(limits: StrayLimits) {
    this.#limits = limits;
  }

  /** False for what is not to be answered. */
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

  /** An INVITE from there was admitted as a peer's. */
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
  /** In the order of their last use. */
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
