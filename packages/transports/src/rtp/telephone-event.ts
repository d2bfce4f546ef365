import type { RtpPacket } from './rtp-packet.ts';
import { timestampDelta } from './sequence.ts';

const DIGITS = '0123456789*#ABCD';
const PAYLOAD_BYTES = 4;
const END_BIT = 0x80;
const MAX_DURATION = 0xffff;
/** An older timestamp belongs to a restarted source, not to an earlier event. */
const MAX_LATE_MS = 10_000;
const END_PACKETS = 3;
/** A key cannot be pressed again sooner after its release (ITU-T Q.24). */
const MIN_PAUSE_MS = 40;

/**
 * Converts telephone events (RFC 4733) of one source to digits, each once, at the first packet that arrives. Does not
 * need the marker bit, which may be lost.
 */
export class TelephoneEventReader {
  readonly #maxLate: number;
  readonly #minPause: number;
  #ssrc = 0;
  #last: { timestamp: number; event: number; ended: boolean; duration: number } | null = null;

  constructor(clockRateHz: number) {
    this.#maxLate = (MAX_LATE_MS * clockRateHz) / 1000;
    this.#minPause = (MIN_PAUSE_MS * clockRateHz) / 1000;
  }

  /**
   * Returns the digit (0-9, *, #, A-D) that starts with this packet; null for its later packets and for other events.
   */
  push(packet: RtpPacket): string | null {
    const { payload, timestamp, ssrc } = packet;
    if (payload.length < PAYLOAD_BYTES) return null;
    const event = payload[0] ?? 0;
    const ended = ((payload[1] ?? 0) & END_BIT) !== 0;
    const duration = ((payload[2] ?? 0) << 8) | (payload[3] ?? 0);
    if (this.#last && ssrc === this.#ssrc) {
      const last = this.#last;
      const delta = timestampDelta(timestamp, last.timestamp);
      if (delta === 0) {
        last.ended ||= ended;
        last.duration = Math.max(last.duration, duration);
        return null;
      }
      if (delta < 0 && delta > -this.#maxLate) return null;
      // A key press longer than the duration field allows continues in another segment. Some peers and media proxies give
      // packets of one press a timestamp each.
      const isSoon = delta === MAX_DURATION || delta < last.duration + this.#minPause;
      const continues = isSoon && event === last.event && (ended || !last.ended) && !packet.marker;
      if (continues) {
        this.#last = { timestamp, event, ended, duration };
        return null;
      }
    }
    this.#ssrc = ssrc;
    this.#last = { timestamp, event, ended, duration };
    return DIGITS[event] ?? null;
  }
}

export interface TelephoneEventOptions {
  /** One of 0-9, *, #, A-D; other values throw a RangeError. */
  digit: string;
  durationMs: number;
  /** Interval between packets. */
  intervalMs: number;
  clockRateHz: number;
}

/** All packets of one event have the timestamp of its start. */
export interface TelephoneEventPacket {
  /** Send time, relative to the start of the event. */
  atMs: number;
  marker: boolean;
  payload: Uint8Array;
}

/** The packets of one key press: the event with growing duration, and its end three times. */
export function telephoneEventPackets(options: TelephoneEventOptions): TelephoneEventPacket[] {
  const { digit, durationMs, intervalMs, clockRateHz } = options;
  const event = digit.length === 1 ? DIGITS.indexOf(digit.toUpperCase()) : -1;
  if (event < 0) throw new RangeError(`${digit} is not a telephone key`);
  const duration = Math.round((durationMs * clockRateHz) / 1000);
  if (!(duration > 0 && duration <= MAX_DURATION && intervalMs > 0)) {
    throw new RangeError(`a key press of ${durationMs} ms at ${clockRateHz} Hz is out of range`);
  }
  const packets: TelephoneEventPacket[] = [];
  for (let atMs = intervalMs; atMs < durationMs; atMs += intervalMs) {
    const soFar = Math.round((atMs * clockRateHz) / 1000);
    packets.push({ atMs, marker: packets.length === 0, payload: eventPayload(event, soFar, false) });
  }
  for (let i = 0; i < END_PACKETS; i += 1) {
    const atMs = durationMs + i * intervalMs;
    packets.push({ atMs, marker: packets.length === 0, payload: eventPayload(event, duration, true) });
  }
  return packets;
}

/** -10 dBm0, the usual level of telephones. */
const VOLUME = 10;

function eventPayload(event: number, duration: number, isEnd: boolean): Uint8Array {
  return Uint8Array.of(event, (isEnd ? END_BIT : 0) | VOLUME, duration >> 8, duration & 0xff);
}
