import { randomBytes } from 'node:crypto';
import { FrameChunker } from '@calls/audio/frame-chunker';
import type { Clock } from '@calls/foundation/clock';
import { RtpSender } from '../rtp/rtp-sender.ts';
import type { FrameTicker } from './frame-ticker.ts';
import { FRAME_MS, FRAME_SAMPLES, LAWS, RATE_HZ, type G711 } from './g711.ts';

/** Maximum queue of frames, from the caller's lead and from bursts after a stall. */
const MAX_WAITING_FRAMES = 500;

export interface AgentVoiceOptions {
  beat: FrameTicker;
  /** The receiver owns the packet. */
  send: (packet: Buffer) => void;
  clock: Clock;
}

export interface SentVoice {
  payloadType: number;
  codec: G711;
}

/**
 * The agent's audio as a steady stream of 20 ms RTP packets, with silence when nothing is written. Audio is queued here
 * until its time, so that it can be cleared.
 */
export class AgentVoice {
  readonly #options: AgentVoiceOptions;
  readonly #chunker = new FrameChunker(FRAME_SAMPLES);
  readonly #sender: RtpSender;
  #waiting: Int16Array[] = [];
  /** Null if nothing may be sent. */
  #voice: SentVoice | null = null;
  #isSpeaking = false;
  #isClosed = false;
  /** When the written audio would end if it had been played as soon as it was written. */
  #supposedEndMs = -Infinity;
  #sentEndMs = -Infinity;

  constructor(options: AgentVoiceOptions) {
    this.#options = options;
    const random = randomBytes(10);
    this.#sender = new RtpSender({
      ssrc: random.readUInt32BE(0),
      payloadType: LAWS.PCMU.payloadType,
      clockRateHz: RATE_HZ,
      // A receiver of encrypted audio must not miss the first wrap (RFC 3711, 3.3.1).
      firstSequenceNumber: random.readUInt16BE(4) & 0x7fff,
      firstTimestamp: random.readUInt32BE(6),
      areKept: true,
    });
    options.beat.add(this.#onBeat);
  }

  /** Sets the format from now on; null stops sending, and written audio is dropped. */
  sendAs(voice: SentVoice | null): void {
    this.#voice = voice;
    if (!voice) this.clear();
  }

  /** The last frame of an utterance is padded with silence. */
  write(samples: Int16Array): void {
    if (this.#isClosed || !this.#voice) return;
    const nowMs = this.#options.clock.nowMs();
    this.#supposedEndMs = Math.max(this.#supposedEndMs, nowMs) + (samples.length * 1000) / RATE_HZ;
    this.#chunker.push(samples, this.#wait);
    this.#chunker.flush(this.#wait);
  }

  clear(): void {
    this.#waiting = [];
    this.#supposedEndMs = Math.min(this.#supposedEndMs, this.#options.clock.nowMs());
    this.#sentEndMs = this.#supposedEndMs;
  }

  /** End time of the last sent audio. */
  get sentEndMs(): number {
    return this.#sentEndMs;
  }

  /** How much later the last written audio ends than if it had been played immediately. */
  get lateMs(): number {
    const waitingMs = this.#waiting.length * FRAME_MS;
    const endMs = waitingMs > 0 ? this.#options.beat.nextMs + waitingMs : this.#sentEndMs;
    return Math.max(0, endMs - this.#supposedEndMs);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.beat.remove(this.#onBeat);
  }

  readonly #wait = (frame: Int16Array): void => {
    if (this.#waiting.length >= MAX_WAITING_FRAMES) this.#waiting.shift();
    this.#waiting.push(frame.slice());
  };

  readonly #onBeat = (count: number): void => {
    if (!this.#voice) return;
    const { payloadType, codec } = this.#voice;
    const frame = this.#waiting.shift();
    const { encode, silence } = LAWS[codec];
    const marker = frame !== undefined && !this.#isSpeaking;
    this.#isSpeaking = frame !== undefined;
    if (frame) this.#sentEndMs = this.#options.clock.nowMs() + FRAME_MS;
    const payload = frame ? encode(frame) : silence;
    this.#options.send(this.#sender.send(payload, { mediaMs: count * FRAME_MS, marker, payloadType }));
  };
}
