import type { OpusDecoder } from '@calls/audio';
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

export interface UserVoiceOptions {
  decoder: OpusDecoder;
  payloadTypes: PayloadTypes;
  emit: (event: TransportEvent) => void;
  clock: Clock;
}

/** The user's RTP packets as audio, in order, and as keys. */
export class UserVoice {
  readonly #decoder: OpusDecoder;
  readonly #emit: (event: TransportEvent) => void;
  readonly #clock: Clock;
  readonly #input: TimedInput;
  readonly #buffer = new ReorderBuffer(OPUS);
  readonly #opusType: number;
  readonly #keys: ReadonlyMap<number, TelephoneEventReader>;
  #timer: Timer | null = null;
  #closed = false;

  constructor({ decoder, payloadTypes: { opus, telephoneEvents }, emit, clock }: UserVoiceOptions) {
    this.#opusType = opus;
    this.#keys = new Map(
      [...telephoneEvents].map(([type, clockRateHz]) => [type, new TelephoneEventReader(clockRateHz)]),
    );
    this.#decoder = decoder;
    this.#emit = emit;
    this.#clock = clock;
    this.#input = new TimedInput(decoder.sampleRateHz, emit);
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
    this.#decoder[Symbol.dispose]();
  }

  #drain(nowMs: number): void {
    for (let due = this.#buffer.due(nowMs); due; due = this.#buffer.due(nowMs)) this.#play(due, nowMs);
    this.#timer?.cancel();
    const atMs = this.#buffer.nextDueMs();
    this.#timer =
      atMs === null ? null : this.#clock.setTimer(atMs - nowMs, () => this.#drain(this.#clock.nowMs()));
  }

  #play(playout: Playout, nowMs: number): void {
    const { durationMs } = playout;
    if (playout.type === 'gap') {
      this.#input.leftOut(durationMs, nowMs);
      return;
    }
    const samples = this.#decode(playout) ?? this.#decoder.conceal(durationMs);
    this.#input.audio(samples, nowMs);
  }

  /** Null where the packet can't be read. */
  #decode(playout: Playout): Int16Array | null {
    switch (playout.type) {
      case 'decode':
        return this.#decoder.decode(playout.payload);
      case 'recover':
        return this.#decoder.recover(playout.payload, playout.durationMs);
      case 'conceal':
      case 'gap':
        return null;
    }
  }
}
