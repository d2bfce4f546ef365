import { createResampler, type Resampler } from '@calls/audio/resampler';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import type { ReorderStatistics } from '../rtp/reorder-buffer.ts';
import type { RtpPacket } from '../rtp/rtp-packet.ts';
import { RtpInput } from '../rtp-input.ts';
import { TimedInput } from '../timed-input.ts';
import { VOICE_FORMATS, type VoiceCodec } from '../rtp/voice-codecs.ts';
import { createVoiceDecoder, familyOf, type VoiceDecoder, type VoiceFamily } from './voice-decoder.ts';

/** The peer's payload types. */
export interface PayloadTypes {
  voices: ReadonlyMap<number, VoiceCodec>;
  /** Clock rates by payload type. */
  telephoneEvents: ReadonlyMap<number, number>;
}

export interface UserVoiceOptions {
  types: PayloadTypes;
  /** Sample rate of emitted audio. */
  rateHz: number;
  /** Null: Opus is not negotiated. */
  opus: OpusCodecs | null;
  emit: (event: TransportEvent) => void;
  /** Counts of the voice that this one replaces. */
  previous?: ReorderStatistics | undefined;
  /** No audio follows. */
  onError: (err: Error) => void;
  clock: Clock;
}

/** The packets of one family of codecs. */
interface FamilyInput {
  family: VoiceFamily;
  decoder: VoiceDecoder;
  packets: RtpInput;
}

/** The user's RTP packets as ordered audio and DTMF digits. Short losses are concealed. */
export class UserVoice {
  readonly #options: UserVoiceOptions;
  readonly #input: TimedInput;
  #current: FamilyInput;
  /** Counts of the earlier codec families. */
  #previous: Pick<ReorderStatistics, Count>;
  #isClosed = false;

  constructor(options: UserVoiceOptions) {
    this.#options = options;
    this.#previous = options.previous ?? NO_COUNTS;
    this.#input = new TimedInput(options.rateHz, options.emit);
    const [first = 'PCMU'] = options.types.voices.values();
    this.#current = this.#open(familyOf(first));
  }

  get statistics(): ReorderStatistics {
    const statistics = this.#current.packets.statistics;
    return { ...statistics, ...sumOf(this.#previous, statistics) };
  }

  /** `arrivedMs`: by default now. */
  onRtp(packet: RtpPacket, arrivedMs?: number): void {
    if (this.#isClosed) return;
    const codec = this.#options.types.voices.get(packet.payloadType);
    if (!codec) {
      this.#current.packets.other(packet);
      return;
    }
    if (this.#current.family !== familyOf(codec)) this.#switchTo(familyOf(codec));
    const { packets, decoder } = this.#current;
    packets.audio({ ...packet, payload: decoder.queued(packet.payload, codec) }, arrivedMs);
  }

  /** Call it every 100 ms. */
  check(nowMs: number): void {
    this.#input.check(nowMs);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#current.packets.close();
    this.#current.decoder[Symbol.dispose]();
  }

  #switchTo(family: VoiceFamily): void {
    this.#previous = sumOf(this.#previous, this.#current.packets.statistics);
    this.#current.packets.close();
    this.#current.decoder[Symbol.dispose]();
    this.#current = this.#open(family);
  }

  #open(family: VoiceFamily): FamilyInput {
    const { types, rateHz, opus, emit, onError, clock } = this.#options;
    const { inputRateHz } = VOICE_FORMATS[family === 'G711' ? 'PCMU' : family];
    const resampler: Resampler = createResampler(inputRateHz, rateHz);
    const decoder = createVoiceDecoder(family, opus, {
      onAudio: (samples) => this.#input.audio(resampler.process(samples), clock.nowMs()),
      onSilence: (durationMs) => this.#input.leftOut(durationMs, clock.nowMs()),
      onError,
    });
    const packets = new RtpInput({
      codec: decoder.codec,
      telephoneEvents: types.telephoneEvents,
      onPlayout: (playout) => decoder.play(playout),
      onDigit: (digit) => emit({ type: 'dtmf', digit }),
      clock,
    });
    return { family, decoder, packets };
  }
}

const COUNTS = ['received', 'lost', 'recovered', 'concealed', 'late', 'duplicate', 'malformed'] as const;
type Count = (typeof COUNTS)[number];
const NO_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<Count, number>;

function sumOf(
  a: Readonly<Record<Count, number>>,
  b: Readonly<Record<Count, number>>,
): Record<Count, number> {
  return Object.fromEntries(COUNTS.map((name) => [name, a[name] + b[name]])) as Record<Count, number>;
}
