import { randomBytes } from 'node:crypto';
import { FrameChunker, OPUS_FRAME_MS, type OpusEncoder } from '@calls/audio';
import type { Clock } from '@calls/foundation';
import { RtpSender } from '@calls/rtp';

/** Audio that comes this much later than it would right after the last of it begins a new talk spurt. */
const SPURT_AFTER_MS = 20;
/** So that the client's concealment has nothing to repeat. */
const CLEARING_FRAMES = 3;

export interface AgentVoiceOptions {
  encoder: OpusEncoder;
  ssrc: number;
  payloadType: number;
  /** Gets each packet at once; must not keep it. */
  send: (packet: Buffer) => void;
  clock: Clock;
}

/** The agent's audio as RTP packets. Timestamps follow the clock over silences. */
export class AgentVoice {
  readonly #encoder: OpusEncoder;
  readonly #send: (packet: Buffer) => void;
  readonly #clock: Clock;
  readonly #chunker: FrameChunker;
  readonly #sender: RtpSender;
  readonly #silence: Int16Array;
  readonly #originMs: number;
  /** Where the audio that was sent ends. */
  #endMs = 0;

  constructor({ encoder, ssrc, payloadType, send, clock }: AgentVoiceOptions) {
    this.#encoder = encoder;
    this.#send = send;
    this.#clock = clock;
    this.#chunker = new FrameChunker(encoder.frameSamples);
    this.#silence = new Int16Array(encoder.frameSamples);
    const random = randomBytes(6);
    this.#sender = new RtpSender({
      ssrc,
      payloadType,
      clockRateHz: 48_000,
      firstSequenceNumber: random.readUInt16BE(0),
      firstTimestamp: random.readUInt32BE(2),
      areKept: false,
    });
    this.#originMs = clock.nowMs();
  }

  /** The end of an utterance may be shorter than a frame: silence completes it. */
  write(samples: Int16Array): void {
    this.#chunker.push(samples, this.#frame);
    this.#chunker.flush(this.#frame);
  }

  /** What was sent is followed by silence. */
  clear(): void {
    for (let i = 0; i < CLEARING_FRAMES; i += 1) this.#frame(this.#silence);
  }

  /** Of what the client is sent, as it reports. */
  expectLoss(percent: number): void {
    this.#encoder.expectLoss(percent);
  }

  close(): void {
    this.#encoder[Symbol.dispose]();
  }

  readonly #frame = (samples: Int16Array): void => {
    const nowMs = this.#clock.nowMs() - this.#originMs;
    const startMs = nowMs - this.#endMs > SPURT_AFTER_MS ? nowMs : this.#endMs;
    this.#endMs = startMs + OPUS_FRAME_MS;
    this.#send(this.#sender.audio(this.#encoder.encode(samples), startMs, OPUS_FRAME_MS));
  };
}
