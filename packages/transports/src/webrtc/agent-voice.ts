import { randomBytes } from 'node:crypto';
import { FrameChunker } from '@calls/audio/frame-chunker';
import { OPUS_FRAME_MS } from '@calls/audio/opus';
import type { Clock } from '@calls/foundation/clock';
import { RtpSender } from '../rtp/rtp-sender.ts';
import type { OpusCodecs, OpusEncoding } from '../opus/opus-codecs.ts';

/** A larger gap after the last audio starts a new talk spurt. */
const SPURT_AFTER_MS = 20;
/** Frames of silence after a clear, so that the client's concealment has nothing to repeat. */
const CLEARING_FRAMES = 3;
export const OUTPUT_RATE_HZ = 24_000;

export interface AgentVoiceOptions {
  opus: OpusCodecs;
  ssrc: number;
  payloadType: number;
  /** Must not retain the packet. */
  send: (packet: Buffer) => void;
  /** No packets follow. */
  onFault: (err: Error) => void;
  clock: Clock;
}

/** The agent's audio as RTP packets. Timestamps follow the clock across silence. */
export class AgentVoice {
  readonly #encoding: OpusEncoding;
  readonly #clock: Clock;
  readonly #chunker: FrameChunker;
  readonly #silence: Int16Array;
  readonly #originMs: number;
  /** End of the sent audio. */
  #endMs = 0;

  private constructor(encoding: OpusEncoding, clock: Clock) {
    this.#encoding = encoding;
    this.#clock = clock;
    this.#chunker = new FrameChunker(encoding.frameSamples);
    this.#silence = new Int16Array(encoding.frameSamples);
    this.#originMs = clock.nowMs();
  }

  static async open(options: AgentVoiceOptions): Promise<AgentVoice> {
    const { opus, ssrc, payloadType, send, onFault, clock } = options;
    const random = randomBytes(6);
    const sender = new RtpSender({
      ssrc,
      payloadType,
      clockRateHz: 48_000,
      firstSequenceNumber: random.readUInt16BE(0),
      firstTimestamp: random.readUInt32BE(2),
      areKept: false,
    });
    const encoding = await opus.openEncoder(OUTPUT_RATE_HZ, {
      onPacket: (payload, mediaMs) => send(sender.audio(payload, mediaMs, OPUS_FRAME_MS)),
      onFault,
    });
    return new AgentVoice(encoding, clock);
  }

  /** The last frame of an utterance is padded with silence. */
  write(samples: Int16Array): void {
    this.#chunker.push(samples, this.#frame);
    this.#chunker.flush(this.#frame);
  }

  /** Sends silence after the sent audio. */
  clear(): void {
    for (let i = 0; i < CLEARING_FRAMES; i += 1) this.#frame(this.#silence);
  }

  /** Loss of sent packets, as reported by the client. */
  expectLoss(percent: number): void {
    this.#encoding.expectLoss(percent);
  }

  close(): void {
    this.#encoding[Symbol.dispose]();
  }

  readonly #frame = (samples: Int16Array): void => {
    const nowMs = this.#clock.nowMs() - this.#originMs;
    const startMs = nowMs - this.#endMs > SPURT_AFTER_MS ? nowMs : this.#endMs;
    this.#endMs = startMs + OPUS_FRAME_MS;
    this.#encoding.encode(samples, startMs);
  };
}
