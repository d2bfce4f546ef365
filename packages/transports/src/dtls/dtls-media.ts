import { TokenBucket } from '@calls/foundation/token-bucket';
import type { Clock } from '@calls/foundation/clock';
import type { DtlsAssociation, DtlsKeys } from './dtls-association.ts';
import { DtlsContext } from './dtls-context.ts';
import type { NegotiatedDtls } from './dtls-description.ts';
import { isSameAddress, type RtpAddress } from '../rtp/rtp-address.ts';

export interface SharedDtls {
  context: DtlsContext;
  /** Limits handshakes with sources that no peer signalled. */
  unknownSources: TokenBucket;
}

export interface DtlsMediaOptions extends SharedDtls {
  send: (datagram: Buffer, to: RtpAddress) => void;
  /** Called when a handshake with the peer, at this address, is complete. Later handshakes call it again. */
  onKeys: (keys: DtlsKeys, peer: RtpAddress) => void;
  /** Called when there will be no keys; at most once per negotiation. */
  onFailed: (detail: string) => void;
}

interface Handshake {
  association: DtlsAssociation;
  address: RtpAddress;
  startedMs: number;
}

export const HANDSHAKE_LIMIT_MS = 10_000;
/** A client whose handshake failed, for example because of a forged packet, starts again after this time. */
const RETRY_MS = 1000;
/** Interval of checks for lost messages. */
const RETRANSMIT_CHECK_MS = 100;
/** Maximum number of parallel handshakes. Only the one whose certificate has the signalled fingerprint is used. */
const MAX_HANDSHAKES = 4;
const MAX_EARLY_DATAGRAMS = 4;
const MAX_EARLY_BYTES = 2048;
/** Limit of handshakes per call. */
const HANDSHAKE_LIMITS = { burst: 10, perSecond: 2 };
/** Limit of handshakes with `unknownSources` of a thread. */
const UNKNOWN_SOURCE_LIMITS = { burst: 100, perSecond: 50 };

/** What all calls of a thread share. Throws if DTLS is not available. */
export function createSharedDtls(clock: Pick<Clock, 'nowMs'>): SharedDtls {
  return {
    context: DtlsContext.create(),
    unknownSources: new TokenBucket(UNKNOWN_SOURCE_LIMITS, clock.nowMs()),
  };
}

/** Whether a packet is DTLS by its first byte (RFC 7983). */
export function isDtls(bytes: Uint8Array): boolean {
  const first = bytes[0] ?? 0;
  return first >= 20 && first <= 63;
}

/**
 * The DTLS handshakes of one call. Keys in use stay valid until another handshake is complete. A peer behind NAT may come
 * from another address than signalled, because its certificate proves who it is.
 */
export class DtlsMedia {
  readonly #options: DtlsMediaOptions;
  readonly #allowance: TokenBucket;
  /** Handshakes by source. */
  readonly #handshakes = new Map<string, Handshake>();
  /** First messages of sources that a description may announce; null if none is expected. */
  #early: { bytes: Buffer; from: RtpAddress }[] | null = [];
  #negotiated: NegotiatedDtls | null = null;
  #signalled: RtpAddress | null = null;
  #established: Handshake | null = null;
  /** Whether the negotiated DTLS has no keys yet. */
  #isPending = false;
  /** Since when the peer can perform the handshake; null if it cannot yet. */
  #pendingSinceMs: number | null = null;
  #isStarted = false;
  #lastFailure: string | null = null;
  #nextCheckMs = -Infinity;
  #retryMs = -Infinity;

  constructor(options: DtlsMediaOptions, nowMs: number) {
    this.#options = options;
    this.#allowance = new TokenBucket(HANDSHAKE_LIMITS, nowMs);
  }

  /**
   * Call it when a description was offered. The peer that answers, perhaps a new one, may begin the handshake before
   * its answer arrives.
   */
  offered(): void {
    this.#early ??= [];
  }

  /** Uses the result of a negotiation. Continues with the association in use if it is the same. */
  use(negotiated: NegotiatedDtls, nowMs: number): void {
    if (negotiated.id !== this.#negotiated?.id) {
      this.#closeAll();
      this.#negotiated = negotiated;
      this.#isPending = true;
      this.#pendingSinceMs = null;
      this.#lastFailure = null;
      this.#retryMs = -Infinity;
    }
    const early = this.#early ?? [];
    this.#early = null;
    for (const { bytes, from } of early) this.receive(bytes, from, nowMs);
    this.tick(nowMs);
  }

  /** Call it when the peer can perform the handshake. Starts its time limit and, as a client, the handshake. */
  start(nowMs: number): void {
    this.#isStarted = true;
    this.tick(nowMs);
  }

  /** Sets the address that the peer signals. If it changes, a client starts a handshake there. */
  signalled(address: RtpAddress, nowMs: number): void {
    const isNew = !this.#isSignalled(address);
    this.#signalled = address;
    if (isNew && this.#negotiated?.role === 'client') {
      for (const handshake of this.#handshakes.values()) this.#drop(handshake);
      this.#retryMs = -Infinity;
      const hasMoved = this.#established !== null && !isSameAddress(this.#established.address, address);
      if (hasMoved) this.#connect(address, nowMs);
    }
    this.tick(nowMs);
  }

  receive(bytes: Buffer, from: RtpAddress, nowMs: number): void {
    if (!this.#negotiated || (this.#early && !this.#isKnown(from))) {
      const hasRoom = bytes.length <= MAX_EARLY_BYTES && (this.#early?.length ?? 0) < MAX_EARLY_DATAGRAMS;
      if (hasRoom) this.#early?.push({ bytes, from });
      return;
    }
    const handshake = this.#handshakes.get(sourceOf(from));
    if (handshake) this.#advance(handshake, handshake.association.receive(bytes));
    else if (isClientHello(bytes)) {
      if (this.#negotiated.role === 'server') this.#accept(bytes, from, nowMs);
    } else if (this.#established && isSameAddress(this.#established.address, from)) {
      this.#sendAll(this.#established.association.receive(bytes), from);
    }
  }

  /** Call it in each tick. */
  tick(nowMs: number): void {
    if (!this.#negotiated || (!this.#isPending && this.#handshakes.size === 0)) return;
    if (this.#isPending && this.#isStarted && this.#signalled) {
      this.#pendingSinceMs ??= nowMs;
      if (nowMs - this.#pendingSinceMs >= HANDSHAKE_LIMIT_MS) {
        this.#fail(this.#lastFailure ?? `no handshake within ${HANDSHAKE_LIMIT_MS / 1000} s`);
        return;
      }
      const isClient = this.#negotiated.role === 'client';
      if (isClient && this.#handshakes.size === 0 && nowMs >= this.#retryMs)
        this.#connect(this.#signalled, nowMs);
    }
    if (nowMs < this.#nextCheckMs) return;
    this.#nextCheckMs = nowMs + RETRANSMIT_CHECK_MS;
    for (const handshake of this.#handshakes.values()) {
      if (nowMs - handshake.startedMs >= HANDSHAKE_LIMIT_MS) this.#drop(handshake);
      else this.#sendAll(handshake.association.tick(), handshake.address);
    }
  }

  /** Idempotent. */
  close(): void {
    this.#closeAll();
    this.#negotiated = null;
    this.#isPending = false;
    this.#early = null;
  }

  #connect(address: RtpAddress, nowMs: number): void {
    this.#retryMs = nowMs + RETRY_MS;
    const handshake = this.#open(address, nowMs);
    if (handshake) this.#advance(handshake, handshake.association.start());
  }

  #accept(hello: Buffer, from: RtpAddress, nowMs: number): void {
    const isSignalled = this.#isSignalled(from);
    if (!this.#allowance.take(nowMs)) return;
    if (!isSignalled && !this.#options.unknownSources.take(nowMs)) return;
    const handshake = this.#open(from, nowMs);
    if (handshake) this.#advance(handshake, handshake.association.receive(hello));
  }

  #open(address: RtpAddress, nowMs: number): Handshake | null {
    if (!this.#negotiated) return null;
    const { role, fingerprints } = this.#negotiated;
    if (this.#handshakes.size >= MAX_HANDSHAKES) {
      const oldest = [...this.#handshakes.values()].find((each) => !this.#isSignalled(each.address));
      if (oldest) this.#drop(oldest);
    }
    const source = sourceOf(address);
    const before = this.#handshakes.get(source);
    if (before) this.#drop(before);
    const association = this.#options.context.open({ role, fingerprints, source });
    const handshake = { association, address, startedMs: nowMs };
    this.#handshakes.set(source, handshake);
    return handshake;
  }

  #advance(handshake: Handshake, datagrams: readonly Buffer[]): void {
    const { association, address } = handshake;
    this.#sendAll(datagrams, address);
    if (association.keys) {
      this.#handshakes.delete(association.source);
      this.#closeAll();
      this.#established = handshake;
      this.#isPending = false;
      this.#options.onKeys(association.keys, address);
    } else if (association.failure !== null) {
      this.#lastFailure = association.failure;
      this.#drop(handshake);
      if (association.isMismatch && this.#isPending && this.#isSignalled(address))
        this.#fail(association.failure);
    }
  }

  #fail(detail: string): void {
    this.#isPending = false;
    this.#closeAll();
    this.#options.onFailed(`DTLS handshake failed: ${detail}`);
  }

  /** Whether the source is signalled, established or in a handshake. */
  #isKnown(from: RtpAddress): boolean {
    const isEstablished = this.#established !== null && isSameAddress(this.#established.address, from);
    return isEstablished || this.#isSignalled(from) || this.#handshakes.has(sourceOf(from));
  }

  #isSignalled(address: RtpAddress): boolean {
    return this.#signalled !== null && isSameAddress(this.#signalled, address);
  }

  #sendAll(datagrams: readonly Buffer[], to: RtpAddress): void {
    for (const datagram of datagrams) this.#options.send(datagram, to);
  }

  #drop(handshake: Handshake): void {
    handshake.association.close();
    this.#handshakes.delete(handshake.association.source);
  }

  #closeAll(): void {
    for (const handshake of this.#handshakes.values()) this.#drop(handshake);
    this.#established?.association.close();
    this.#established = null;
  }
}

function sourceOf({ address, port }: RtpAddress): string {
  return `${address} ${port}`;
}

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER_BYTES = 13;

/** Whether the datagram begins with a ClientHello that is not encrypted. */
function isClientHello(bytes: Uint8Array): boolean {
  const isFirstEpoch = bytes[3] === 0 && bytes[4] === 0;
  return bytes[0] === HANDSHAKE_RECORD && isFirstEpoch && bytes[RECORD_HEADER_BYTES] === CLIENT_HELLO;
}
