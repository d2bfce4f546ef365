import { FrameChunker } from '@calls/audio/frame-chunker';
import { createResampler, type Resampler } from '@calls/audio/resampler';
import type { Clock } from '@calls/foundation/clock';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import type { RtpChannel } from '../rtp-thread/rtp-channel.ts';
import { FRAME_MS, VOICE_FORMATS, type VoiceCodec } from '../rtp/voice-codecs.ts';
import { createVoiceEncoder, type VoiceEncoder } from './voice-encoder.ts';

/** Output lead, which is sent even while this thread is busy. A clear drops it immediately. */
export const OUTPUT_LEAD_MS = 300;

export interface AgentVoiceOptions {
  rtp: Pick<RtpChannel, 'apply' | 'clear' | 'endMs' | 'sentEndMs' | 'write'>;
  /** Sample rate of written audio. */
  rateHz: number;
  /** Null: Opus is not negotiated. */
  opus: OpusCodecs | null;
  /** What is sent while nothing is written. Default: `silence`. */
  pauses?: 'silence' | 'nothing';
  /** Default: random. */
  ssrc?: number;
  /** No audio follows. */
  onError: (err: Error) => void;
  clock: Clock;
}

export interface SentVoice {
  payloadType: number;
  codec: VoiceCodec;
}

interface Sending extends SentVoice {
  encoder: VoiceEncoder;
  chunker: FrameChunker;
  resampler: Resampler;
  /** Frames that are being encoded, and how many of them were cleared in the meantime. */
  encoding: number;
  cleared: number;
}

/** Encodes the agent's audio. The channel paces it. */
export class AgentVoice {
  readonly #options: AgentVoiceOptions;
  /** Null if nothing may be sent. */
  #sending: Sending | null = null;
  #isClosed = false;
  /** When the written audio would end if it had been played as soon as it was written. */
  #supposedEndMs = -Infinity;

  constructor(options: AgentVoiceOptions) {
    this.#options = options;
  }

  /** Sets the format from now on; null stops sending, and written audio is dropped. */
  sendAs(voice: SentVoice | null): void {
    const before = this.#sending;
    if (voice && before && voice.codec === before.codec && voice.payloadType === before.payloadType) return;
    before?.encoder[Symbol.dispose]();
    this.#sending = voice && this.#opened(voice);
    if (!voice) this.clear();
    const format = this.#sending && {
      clockRateHz: VOICE_FORMATS[this.#sending.codec].clockRateHz,
      silence: this.#options.pauses === 'nothing' ? null : this.#sending.encoder.silence,
      silenceType: this.#sending.payloadType,
      ssrc: this.#options.ssrc,
    };
    this.#options.rtp.apply({ type: 'format', format });
  }

  /** The last frame of an utterance is padded with silence. */
  write(samples: Int16Array): void {
    const sending = this.#sending;
    if (this.#isClosed || !sending) return;
    const { clock, rateHz } = this.#options;
    const nowMs = clock.nowMs();
    if (this.#endMs < nowMs) sending.encoder.begin();
    this.#supposedEndMs = Math.max(this.#supposedEndMs, nowMs) + (samples.length * 1000) / rateHz;
    const { chunker, resampler } = sending;
    const isLast = samples.length % ((rateHz * FRAME_MS) / 1000) !== 0;
    chunker.push(resampler.process(samples), this.#encode);
    if (resampler.delayMs === 0 || isLast) {
      if (isLast) chunker.push(resampler.flush(), this.#encode);
      chunker.flush(this.#encode);
    }
  }

  clear(): void {
    const sending = this.#sending;
    if (sending) sending.cleared = sending.encoding;
    this.#supposedEndMs = Math.min(this.#supposedEndMs, this.#options.clock.nowMs());
    this.#options.rtp.clear(this.#supposedEndMs);
  }

  /** Loss of sent packets, as reported by the peer. */
  expectLoss(percent: number): void {
    this.#sending?.encoder.expectLoss(percent);
  }

  /** End time of the last sent audio. */
  get sentEndMs(): number {
    return this.#options.rtp.sentEndMs;
  }

  /** How much later the last written audio ends than if it had been played immediately. */
  get lateMs(): number {
    return Math.max(0, this.#endMs - this.#supposedEndMs);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sending?.encoder[Symbol.dispose]();
  }

  get #endMs(): number {
    const { encoding, cleared } = this.#sending ?? { encoding: 0, cleared: 0 };
    return this.#options.rtp.endMs(encoding - cleared);
  }

  #opened({ codec, payloadType }: SentVoice): Sending {
    const { opus, rateHz, onError } = this.#options;
    const { outputRateHz } = VOICE_FORMATS[codec];
    const encoder = createVoiceEncoder(codec, opus, {
      onFrame: (payload) => this.#encoded(sending, payload),
      onError,
    });
    const sending: Sending = {
      codec,
      payloadType,
      encoder,
      chunker: new FrameChunker((outputRateHz * FRAME_MS) / 1000),
      resampler: createResampler(rateHz, outputRateHz),
      encoding: 0,
      cleared: 0,
    };
    return sending;
  }

  readonly #encode = (frame: Int16Array): void => {
    const sending = this.#sending;
    if (!sending) return;
    sending.encoding += 1;
    sending.encoder.encode(frame);
  };

  #encoded(sending: Sending, payload: Uint8Array): void {
    sending.encoding -= 1;
    if (sending.cleared > 0) sending.cleared -= 1;
    else if (sending === this.#sending) this.#options.rtp.write(payload, sending.payloadType);
  }
}
