import { FrameChunker } from '@calls/audio/frame-chunker';
import type { Clock } from '@calls/foundation/clock';
import { FRAME_SAMPLES, LAWS, RATE_HZ, type G711 } from './g711.ts';
import type { RtpChannel } from './rtp-channel.ts';

export interface AgentVoiceOptions {
  rtp: Pick<RtpChannel, 'apply' | 'clear' | 'endMs' | 'sentEndMs' | 'write'>;
  clock: Clock;
}

export interface SentVoice {
  payloadType: number;
  codec: G711;
}

/** Encodes the agent's audio. The channel paces it, with silence when nothing is written. */
export class AgentVoice {
  readonly #rtp: AgentVoiceOptions['rtp'];
  readonly #clock: Clock;
  readonly #chunker = new FrameChunker(FRAME_SAMPLES);
  /** Null if nothing may be sent. */
  #voice: SentVoice | null = null;
  #isClosed = false;
  /** When the written audio would end if it had been played as soon as it was written. */
  #supposedEndMs = -Infinity;

  constructor({ rtp, clock }: AgentVoiceOptions) {
    this.#rtp = rtp;
    this.#clock = clock;
  }

  /** Sets the format from now on; null stops sending, and written audio is dropped. */
  sendAs(voice: SentVoice | null): void {
    this.#voice = voice;
    if (!voice) this.clear();
    const format = voice && {
      clockRateHz: RATE_HZ,
      silence: LAWS[voice.codec].silence,
      silenceType: voice.payloadType,
    };
    this.#rtp.apply({ type: 'format', format });
  }

  /** The last frame of an utterance is padded with silence. */
  write(samples: Int16Array): void {
    if (this.#isClosed || !this.#voice) return;
    const nowMs = this.#clock.nowMs();
    this.#supposedEndMs = Math.max(this.#supposedEndMs, nowMs) + (samples.length * 1000) / RATE_HZ;
    this.#chunker.push(samples, this.#frame);
    this.#chunker.flush(this.#frame);
  }

  clear(): void {
    this.#supposedEndMs = Math.min(this.#supposedEndMs, this.#clock.nowMs());
    this.#rtp.clear(this.#supposedEndMs);
  }

  /** End time of the last sent audio. */
  get sentEndMs(): number {
    return this.#rtp.sentEndMs;
  }

  /** How much later the last written audio ends than if it had been played immediately. */
  get lateMs(): number {
    return Math.max(0, this.#rtp.endMs - this.#supposedEndMs);
  }

  close(): void {
    this.#isClosed = true;
  }

  readonly #frame = (frame: Int16Array): void => {
    if (!this.#voice) return;
    const { codec, payloadType } = this.#voice;
    this.#rtp.write(LAWS[codec].encode(frame), payloadType);
  };
}
