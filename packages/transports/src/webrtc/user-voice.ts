import type { TransportEvent } from '@calls/conversation';
import type { Clock, Timer } from '@calls/foundation';
import {
  OPUS,
  readRtpPacket,
  ReorderBuffer,
  TelephoneEventReader,
  type Playout,
  type ReorderStatistics,
} from '@calls/rtp';
import { TimedInput } from '../timed-input.ts';
import type { PayloadTypes } from './codecs.ts';
import type { OpusCodecs, OpusDecoding } from './opus/opus-codecs.ts';

export const INPUT_RATE_HZ = 16_000;

export interface UserVoiceOptions {
  opus: OpusCodecs;
  payloadTypes: PayloadTypes;
  emit: (event: TransportEvent) => void;
  /** No audio follows. */
  onFault: (err: Error) => void;
  clock: Clock;
}

/** The user's RTP packets as audio, in order, and as keys. */
export class UserVoice {
  readonly #decoding: OpusDecoding;
  readonly #emit: (event: TransportEvent) => void;
  readonly #clock: Clock;
  readonly #input: TimedInput;
  readonly #buffer = new ReorderBuffer(OPUS);
  readonly #opusType: number;
  readonly #keys: ReadonlyMap<number, TelephoneEventReader>;
  #timer: Timer | null = null;
  #closed = false;

  private constructor(options: UserVoiceOptions, input: TimedInput, decoding: OpusDecoding) {
    const { opus, telephoneEvents } = options.payloadTypes;
    this.#opusType = opus;
    this.#keys = new Map(
      [...telephoneEvents].map(([type, clockRateHz]) => [type, new TelephoneEventReader(clockRateHz)]),
    );
    this.#emit = options.emit;
    this.#clock = options.clock;
    this.#input = input;
    this.#decoding = decoding;
  }

  static async open(options: UserVoiceOptions): Promise<UserVoice> {
    const { opus, emit, onFault, clock } = options;
    const input = new TimedInput(INPUT_RATE_HZ, emit);
    const decoding = await opus.openDecoder(INPUT_RATE_HZ, {
      onAudio: (samples, durationMs) => {
        if (samples) input.audio(samples, clock.nowMs());
        else input.leftOut(durationMs, clock.nowMs());
      },
      onFault,
    });
    return new UserVoice(options, input, decoding);
  }

  get statistics(): ReorderStatistics {
    return this.#buffer.statistics;
  }

  /** `bytes` are kept for a while. */
  onRtp(bytes: Buffer): void {
    const packet = this.#closed ? null : readRtpPacket(bytes);
    if (!packet) return;
    const nowMs = this.#clock.nowMs();
    if (packet.payloadType === this.#opusType && packet.payload.length > 0) {
      this.#buffer.push(packet, nowMs);
    } else {
      const digit = this.#keys.get(packet.payloadType)?.push(packet);
      if (digit) this.#emit({ type: 'dtmf', digit });
      this.#buffer.pushOther(packet, nowMs);
    }
    this.#drain(nowMs);
  }

  /** To be called every 100 ms. */
  check(nowMs: number): void {
    this.#input.check(nowMs);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    this.#decoding[Symbol.dispose]();
  }

  #drain(nowMs: number): void {
    for (let due = this.#buffer.due(nowMs); due; due = this.#buffer.due(nowMs)) this.#play(due);
    this.#timer?.cancel();
    const atMs = this.#buffer.nextDueMs();
    this.#timer =
      atMs === null ? null : this.#clock.setTimer(atMs - nowMs, () => this.#drain(this.#clock.nowMs()));
  }

  #play(playout: Playout): void {
    const { durationMs } = playout;
    switch (playout.type) {
      case 'decode':
        return this.#decoding.decode(playout.payload, durationMs);
      case 'recover':
        return this.#decoding.recover(playout.payload, durationMs);
      case 'conceal':
        return this.#decoding.conceal(durationMs);
      case 'gap':
        return this.#decoding.pass(durationMs);
    }
  }
}
