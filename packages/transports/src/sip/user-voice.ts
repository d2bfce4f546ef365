import { LossConcealment } from '@calls/audio/loss-concealment';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import type { Playout, RtpAudioCodec } from '../rtp/playout.ts';
import type { ReorderStatistics } from '../rtp/reorder-buffer.ts';
import type { RtpPacket } from '../rtp/rtp-packet.ts';
import { RtpInput } from '../rtp-input.ts';
import { TimedInput } from '../timed-input.ts';
import { FRAME_SAMPLES, LAWS, RATE_HZ, type G711 } from './g711.ts';

/** Maximum packet length of 200 ms; longer packets are invalid. */
const MAX_SAMPLES = RATE_HZ / 5;
const SAMPLE_BYTES = Int16Array.BYTES_PER_ELEMENT;

/** Queued G.711 audio is decoded, because a peer may switch between A-law and mu-law with any packet. */
const SAMPLES: RtpAudioCodec = {
  clockRateHz: RATE_HZ,
  durationOf: ({ length }) =>
    length > 0 && length <= MAX_SAMPLES * SAMPLE_BYTES ? length / SAMPLE_BYTES : null,
  carriesPrevious: () => false,
};

/** The peer's payload types. */
export interface PayloadTypes {
  voices: ReadonlyMap<number, G711>;
  telephoneEvents: ReadonlySet<number>;
}

export interface UserVoiceOptions {
  types: PayloadTypes;
  emit: (event: TransportEvent) => void;
  clock: Clock;
}

/** The user's RTP packets as ordered audio and DTMF digits. Short losses are concealed. */
export class UserVoice {
  readonly #voices: PayloadTypes['voices'];
  readonly #clock: Clock;
  readonly #input: TimedInput;
  readonly #packets: RtpInput;
  readonly #concealment = new LossConcealment(RATE_HZ);

  constructor({ types, emit, clock }: UserVoiceOptions) {
    this.#voices = types.voices;
    this.#clock = clock;
    this.#input = new TimedInput(RATE_HZ, emit);
    this.#packets = new RtpInput({
      codec: SAMPLES,
      telephoneEvents: new Map([...types.telephoneEvents].map((type) => [type, RATE_HZ])),
      onPlayout: (playout) => this.#play(playout),
      onDigit: (digit) => emit({ type: 'dtmf', digit }),
      clock,
    });
  }

  get statistics(): ReorderStatistics {
    return this.#packets.statistics;
  }

  onRtp(packet: RtpPacket, arrivedMs?: number): void {
    const codec = this.#voices.get(packet.payloadType);
    if (!codec) {
      this.#packets.other(packet);
      return;
    }
    const samples = LAWS[codec].decode(packet.payload);
    this.#packets.audio({ ...packet, payload: new Uint8Array(samples.buffer) }, arrivedMs);
  }

  /** Call it every 100 ms. */
  check(nowMs: number): void {
    this.#input.check(nowMs);
  }

  close(): void {
    this.#packets.close();
  }

  #play(playout: Playout): void {
    const nowMs = this.#clock.nowMs();
    switch (playout.type) {
      case 'decode': {
        const { buffer, byteOffset, byteLength } = playout.payload;
        const samples = new Int16Array(buffer, byteOffset, byteLength / SAMPLE_BYTES);
        this.#concealment.received(samples);
        this.#input.audio(samples, nowMs);
        break;
      }
      case 'conceal':
        this.#input.audio(
          this.#concealment.conceal(Math.round((playout.durationMs * RATE_HZ) / 1000)),
          nowMs,
        );
        break;
      // G.711 packets contain no earlier audio.
      case 'recover':
      case 'gap':
        this.#concealment.received(new Int16Array(FRAME_SAMPLES));
        this.#input.leftOut(playout.durationMs, nowMs);
        break;
    }
  }
}
