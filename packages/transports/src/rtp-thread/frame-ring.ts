import type { PeerReport } from '../rtp/rtcp-session.ts';

/** Words of the control block. Each is written by one side only. */
const WRITTEN = 0;
/** Frames before this number are dropped. */
const CLEARED = 1;
const TAKEN = 2;
const LAST_TICK = 3;
const FIRST_COUNTER = 4;
const SENT_PACKETS = 7;
const REPORTS = 8;
const LOST_PACKETS = 9;
/** This value and ROUND_TRIP are in 1/100 ms. */
const PEER_JITTER = 10;
const ROUND_TRIP = 11;
const SENT_BYTES = 12;
const CONTROL_WORDS = 16;
const CAPACITY = 64;
const SLOT_BYTES = 512;
const SLOT_HEADER_BYTES = 4;

/** Maximum payload of a frame. */
export const MAX_FRAME_BYTES = SLOT_BYTES - SLOT_HEADER_BYTES;
/** No frame was sent yet. */
const NEVER = -1;

/** Counts of received packets that were dropped. */
export interface DroppedPackets {
  malformed: number;
  stray: number;
  unauthenticated: number;
}
const COUNTERS = ['malformed', 'stray', 'unauthenticated'] as const satisfies (keyof DroppedPackets)[];

/**
 * The encoded frames of one call between the thread that writes them and the thread that sends them, in shared memory
 * without locks: one writer, one reader. It also carries what the reader reports: the last sent frame and counters.
 */
export class FrameRing {
  readonly buffer: SharedArrayBuffer;
  readonly #control: Int32Array;
  readonly #slots: Uint8Array;

  /** Shares the frames of `buffer`, if given. */
  constructor(buffer?: SharedArrayBuffer) {
    const controlBytes = CONTROL_WORDS * Int32Array.BYTES_PER_ELEMENT;
    this.buffer = buffer ?? new SharedArrayBuffer(controlBytes + CAPACITY * SLOT_BYTES);
    this.#control = new Int32Array(this.buffer, 0, CONTROL_WORDS);
    this.#slots = new Uint8Array(this.buffer, controlBytes);
    if (!buffer) Atomics.store(this.#control, LAST_TICK, NEVER);
  }

  /** Writer: adds a frame. False if the ring is full; the frame is dropped then. Throws a RangeError if it is too large. */
  push(payload: Uint8Array, payloadType: number): boolean {
    if (payload.length > MAX_FRAME_BYTES)
      throw new RangeError(`a frame of ${payload.length} bytes is too large`);
    const written = this.#load(WRITTEN);
    if (written - this.#load(TAKEN) >= CAPACITY) return false;
    const start = slotOf(written);
    this.#slots[start] = payload.length >> 8;
    this.#slots[start + 1] = payload.length & 0xff;
    this.#slots[start + 2] = payloadType;
    this.#slots.set(payload, start + SLOT_HEADER_BYTES);
    Atomics.store(this.#control, WRITTEN, written + 1);
    return true;
  }

  /** Writer: drops all frames that were not taken yet. */
  clear(): void {
    Atomics.store(this.#control, CLEARED, this.#load(WRITTEN));
  }

  /** Number of frames to be sent. */
  get waiting(): number {
    return this.#load(WRITTEN) - this.#next();
  }

  /** Number of the tick in which the last frame was sent; null before the first. */
  get lastTick(): number | null {
    const tick = this.#load(LAST_TICK);
    return tick === NEVER ? null : tick;
  }

  get dropped(): DroppedPackets {
    const [malformed = 0, stray = 0, unauthenticated = 0] = COUNTERS.map((_, i) =>
      this.#load(FIRST_COUNTER + i),
    );
    return { malformed, stray, unauthenticated };
  }

  get sentPackets(): number {
    return this.#load(SENT_PACKETS);
  }

  /** Bytes of the payloads of sent packets. */
  get sentBytes(): number {
    return this.#load(SENT_BYTES) >>> 0;
  }

  /** What the peer reported last; null if it reported nothing. */
  get peerReport(): PeerReport | null {
    if (this.#load(REPORTS) === 0) return null;
    const roundTrip = this.#load(ROUND_TRIP);
    return {
      lost: this.#load(LOST_PACKETS),
      jitterMs: this.#load(PEER_JITTER) / 100,
      roundTripMs: roundTrip === NEVER ? null : roundTrip / 100,
    };
  }

  /** Reader: records a sent packet. */
  packetSent(payloadBytes: number): void {
    Atomics.add(this.#control, SENT_PACKETS, 1);
    Atomics.add(this.#control, SENT_BYTES, payloadBytes);
  }

  /** Reader: records the peer's report. */
  peerReported({ lost, jitterMs, roundTripMs }: PeerReport): void {
    Atomics.store(this.#control, LOST_PACKETS, lost);
    Atomics.store(this.#control, PEER_JITTER, hundredths(jitterMs));
    Atomics.store(this.#control, ROUND_TRIP, roundTripMs === null ? NEVER : hundredths(roundTripMs));
    Atomics.add(this.#control, REPORTS, 1);
  }

  /** Reader: takes the next frame, which is valid during `use`. False if there is none. */
  take(use: (payload: Uint8Array, payloadType: number) => void): boolean {
    const next = this.#next();
    if (next === this.#load(WRITTEN)) {
      Atomics.store(this.#control, TAKEN, next);
      return false;
    }
    const start = slotOf(next);
    const length = ((this.#slots[start] ?? 0) << 8) | (this.#slots[start + 1] ?? 0);
    const first = start + SLOT_HEADER_BYTES;
    use(this.#slots.subarray(first, first + length), this.#slots[start + 2] ?? 0);
    Atomics.store(this.#control, TAKEN, next + 1);
    return true;
  }

  /** Reader: drops all frames. */
  discard(): void {
    Atomics.store(this.#control, TAKEN, this.#load(WRITTEN));
  }

  /** Reader: records that a frame was sent in this tick. */
  sentIn(tick: number): void {
    Atomics.store(this.#control, LAST_TICK, tick);
  }

  /** Reader: counts a dropped packet. */
  count(what: keyof DroppedPackets): void {
    Atomics.add(this.#control, FIRST_COUNTER + COUNTERS.indexOf(what), 1);
  }

  #next(): number {
    return Math.max(this.#load(TAKEN), this.#load(CLEARED));
  }

  #load(word: number): number {
    return Atomics.load(this.#control, word);
  }
}

const MAX_INT32 = 0x7fffffff;

function hundredths(ms: number): number {
  return Math.min(MAX_INT32, Math.round(ms * 100));
}

function slotOf(frame: number): number {
  return (frame % CAPACITY) * SLOT_BYTES;
}
