import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import { OPUS } from '../rtp/opus-payload.ts';
import type { Playout } from '../rtp/playout.ts';
import type { ReorderStatistics } from '../rtp/reorder-buffer.ts';
import { readRtpPacket } from '../rtp/rtp-packet.ts';
import { RtpInput } from '../rtp-input.ts';
import { TimedInput } from '../timed-input.ts';
import type { PayloadTypes } from './codecs.ts';
import type { OpusCodecs, OpusDecoding } from '../opus/opus-codecs.ts';

export const INPUT_RATE_HZ = 16_000;

export interface UserVoiceOptions {
  opus: OpusCodecs;
  payloadTypes: PayloadTypes;
  emit: (event: TransportEvent) => void;
  /** No audio follows. */
  onFault: (err: Error) => void;
  clock: Clock;
}

/** The user's RTP packets as ordered audio and DTMF digits. */
export class UserVoice {
  readonly #decoding: OpusDecoding;
  readonly #input: TimedInput;
  readonly #packets: RtpInput;
  readonly #opusType: number;
  #closed = false;

  private constructor(options: UserVoiceOptions, input: TimedInput, decoding: OpusDecoding) {
    const { payloadTypes, emit, clock } = options;
    this.#opusType = payloadTypes.opus;
    this.#packets = new RtpInput({
      codec: OPUS,
      telephoneEvents: payloadTypes.telephoneEvents,
      onPlayout: (playout) => this.#play(playout),
      onDigit: (digit) => emit({ type: 'dtmf', digit }),
      clock,
    });
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
    return this.#packets.statistics;
  }

  /** Retains `bytes` until playout. */
  onRtp(bytes: Buffer): void {
    const packet = this.#closed ? null : readRtpPacket(bytes);
    if (!packet) return;
    if (packet.payloadType === this.#opusType && packet.payload.length > 0) this.#packets.audio(packet);
    else this.#packets.other(packet);
  }

  /** Call it every 100 ms. */
  check(nowMs: number): void {
    this.#input.check(nowMs);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#packets.close();
    this.#decoding[Symbol.dispose]();
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
