import type { TokenBucketLimits } from '@calls/foundation/token-bucket';
import type { Clock } from '@calls/foundation/clock';
import type { Fingerprint } from '../dtls/fingerprint.ts';
import type { RtpAddress } from '../rtp/rtp-address.ts';
import type { RtpCommand } from './rtp-session.ts';

/** A port that any peer can send to. */
export interface ListeningPort {
  hosts: readonly string[];
  port: number;
}

/** A free port of `host` that exchanges packets with `peer` only. */
export interface PeerPort {
  host: string;
  peer: RtpAddress;
  /** Limits of received packets. */
  limits: TokenBucketLimits;
}

/** What the main thread sends to the RTP thread. Channels are numbered by the main thread. */
export type RtpThreadRequest =
  | { type: 'open'; channel: number; at: ListeningPort | PeerPort; ring: SharedArrayBuffer }
  | { type: 'apply'; channel: number; command: RtpCommand }
  | { type: 'close'; channel: number };

/** Reply to `paused`: the remaining calls still belong to this process. */
export interface ContinueSending {
  type: 'continue';
}

/** What the RTP thread sends, besides batches of received packets (see `RecordWriter`) with their arrival times. */
export type RtpThreadReply =
  /** `fingerprint`: of the certificate for DTLS; null if DTLS is not available. */
  | { type: 'opened'; channel: number; port: number; fingerprint: Fingerprint | null }
  /** `code`: of the system error. */
  | { type: 'failed'; channel: number; code: string | undefined; message: string }
  | { type: 'closed'; channel: number };

/** What the thread reports without a request. */
export type RtpThreadNotice =
  /** The thread did not run for a while. It sends nothing until `continue`. */
  | { type: 'paused' }
  /** Sent once if the thread did not get real-time priority. */
  | { type: 'noPriority'; reason: string }
  /** Sent once if DTLS is not available. */
  | { type: 'noDtls'; reason: string }
  /** No audio will be exchanged. The channel stays open. */
  | { type: 'lost'; channel: number; detail: string };

const WORDS_BYTES = 8;

/** The ticks of the RTP thread, in shared memory. Times are on the process's monotonic clock. */
export class SharedTicks {
  readonly buffer: SharedArrayBuffer;
  readonly #next: Int32Array;
  readonly #origin: Float64Array;

  constructor(buffer = new SharedArrayBuffer(WORDS_BYTES + Float64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#next = new Int32Array(buffer, 0, 1);
    this.#origin = new Float64Array(buffer, WORDS_BYTES, 1);
  }

  get next(): number {
    return Atomics.load(this.#next, 0);
  }

  set next(tick: number) {
    Atomics.store(this.#next, 0, tick);
  }

  /** Time of tick 0. Set before the thread is ready. */
  get originMs(): number {
    return this.#origin[0] ?? 0;
  }

  set originMs(originMs: number) {
    this.#origin[0] = originMs;
  }
}

/** The process's monotonic clock, the same in all threads. */
function processMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Offset of this thread's clock from the process's clock. */
export function processOffsetMs({ nowMs }: Pick<Clock, 'nowMs'>): number {
  // Uses the closest of several readings, because the thread may be interrupted between both clocks.
  const readings = Array.from({ length: 5 }, () => {
    const before = processMs();
    const readMs = nowMs();
    const after = processMs();
    return { spanMs: after - before, offsetMs: readMs - (before + after) / 2 };
  });
  return readings.reduce((a, b) => (b.spanMs < a.spanMs ? b : a)).offsetMs;
}
