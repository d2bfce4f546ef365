import type { Clock, Timer } from '@calls/foundation/clock';
import type { Playout, RtpAudioCodec } from './rtp/playout.ts';
import { ReorderBuffer, type ReorderStatistics } from './rtp/reorder-buffer.ts';
import type { RtpPacket } from './rtp/rtp-packet.ts';
import { TelephoneEventReader } from './rtp/telephone-event.ts';

export interface RtpInputOptions {
  codec: RtpAudioCodec;
  /** Clock rates by payload type (RFC 4733). */
  telephoneEvents: ReadonlyMap<number, number>;
  onPlayout: (playout: Playout) => void;
  onDigit: (digit: string) => void;
  clock: Clock;
}

/** Reorders the RTP packets of one source. Emits audio when its wait is over, and DTMF digits immediately. */
export class RtpInput {
  readonly #buffer: ReorderBuffer;
  readonly #options: RtpInputOptions;
  readonly #keys: ReadonlyMap<number, TelephoneEventReader>;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: RtpInputOptions) {
    this.#options = options;
    this.#buffer = new ReorderBuffer(options.codec);
    this.#keys = new Map(
      [...options.telephoneEvents].map(([type, clockRateHz]) => [
        type,
        new TelephoneEventReader(clockRateHz),
      ]),
    );
  }

  get statistics(): ReorderStatistics {
    return this.#buffer.statistics;
  }

  /**
   * Adds an audio packet. Retains its payload until playout, so the caller must not change it. `arrivedMs`: by default
   * now.
   */
  audio(packet: RtpPacket, arrivedMs?: number): void {
    if (this.#closed) return;
    const nowMs = this.#options.clock.nowMs();
    this.#buffer.push(packet, arrivedMs ?? nowMs);
    this.#drain(nowMs);
  }

  /** Adds a packet of the stream without audio: a telephone event, or one to ignore. */
  other(packet: RtpPacket): void {
    if (this.#closed) return;
    const digit = this.#keys.get(packet.payloadType)?.push(packet);
    if (digit) this.#options.onDigit(digit);
    const nowMs = this.#options.clock.nowMs();
    this.#buffer.pushOther(packet, nowMs);
    this.#drain(nowMs);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #drain(nowMs: number): void {
    for (let due = this.#buffer.due(nowMs); due; due = this.#buffer.due(nowMs)) this.#options.onPlayout(due);
    this.#timer?.cancel();
    const atMs = this.#buffer.nextDueMs();
    const { clock } = this.#options;
    this.#timer = atMs === null ? null : clock.setTimer(atMs - nowMs, () => this.#drain(clock.nowMs()));
  }
}
