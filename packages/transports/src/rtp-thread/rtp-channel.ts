import type { Clock } from '@calls/foundation/clock';
import type { Fingerprint } from '../dtls/fingerprint.ts';
import { FRAME_MS } from '../rtp/voice-codecs.ts';
import type { DroppedPackets, FrameRing } from './frame-ring.ts';
import type { PeerReport } from '../rtp/rtcp-session.ts';
import type { RtpCommand } from './rtp-session.ts';

/** Opens RTP ports, which send and receive in this thread or another one. */
export interface RtpEngine {
  /** `hosts`: listening addresses, at most one per family. Rejects with the system error. `onClosed`: the port is free again. */
  open(hosts: readonly string[], port: number, onClosed: () => void): Promise<RtpChannel>;
}

/** When frames are sent. */
export interface TickTimes {
  /** Time of the next tick, on the clock of the channel. */
  readonly nextMs: number;
  /** Time of the tick with this number. */
  msOf(tick: number): number;
}

export interface RtpChannelOptions {
  port: number;
  /** Default: null. */
  fingerprint?: Fingerprint | null;
  ring: FrameRing;
  times: TickTimes;
  /** Gives a command to the session, in order. */
  post: (command: RtpCommand) => void;
  close: () => void;
  clock: Clock;
}

/** The RTP of one call, as its transport uses it: frames to send, and received packets. */
export class RtpChannel {
  readonly port: number;
  /** Fingerprint of the local certificate for DTLS; null if DTLS is not available. */
  readonly fingerprint: Fingerprint | null;
  /** Called for each RTP and RTCP packet of the peer. Without it, packets are dropped. The receiver owns the bytes. */
  onPacket: ((bytes: Buffer, arrivedMs: number) => void) | null = null;
  #onLost: ((detail: string) => void) | null = null;
  #lostDetail: string | null = null;
  readonly #options: RtpChannelOptions;
  /** State at the last clear: the last sent tick, and when the audio counts as ended. */
  #cleared: { tick: number | null; endMs: number } | null = null;
  #isClosed = false;

  constructor(options: RtpChannelOptions) {
    this.#options = options;
    this.port = options.port;
    this.fingerprint = options.fingerprint ?? null;
  }

  apply(command: RtpCommand): void {
    if (!this.#isClosed) this.#options.post(command);
  }

  /** Called once with the reason if no audio can be exchanged, even if that happened earlier. */
  set onLost(onLost: (detail: string) => void) {
    this.#onLost = onLost;
    if (this.#lostDetail !== null) onLost(this.#lostDetail);
  }

  /** Reports that no audio can be exchanged any more. */
  lost(detail: string): void {
    if (this.#isClosed || this.#lostDetail !== null) return;
    this.#lostDetail = detail;
    this.#onLost?.(detail);
  }

  /** Adds a frame of 20 ms. Copies it. A frame that does not fit is dropped. */
  write(payload: Uint8Array, payloadType: number): void {
    this.#options.ring.push(payload, payloadType);
  }

  /** Drops the frames that were not sent. `endMs`: when the audio counts as ended. */
  clear(endMs: number): void {
    const { ring } = this.#options;
    ring.clear();
    this.#cleared = { tick: ring.lastTick, endMs };
  }

  /** End time of the last frame, which may be in the past. `encoding`: number of frames that will still be written. */
  endMs(encoding = 0): number {
    const { ring, times, clock } = this.#options;
    const waiting = ring.waiting + encoding;
    if (waiting === 0) return this.sentEndMs;
    return Math.max(times.nextMs, clock.nowMs(), this.sentEndMs) + waiting * FRAME_MS;
  }

  /** End time of the last sent frame. */
  get sentEndMs(): number {
    const { ring, times } = this.#options;
    const tick = ring.lastTick;
    if (tick === null || tick === this.#cleared?.tick) return this.#cleared?.endMs ?? -Infinity;
    return times.msOf(tick) + FRAME_MS;
  }

  get dropped(): DroppedPackets {
    return this.#options.ring.dropped;
  }

  get sentPackets(): number {
    return this.#options.ring.sentPackets;
  }

  get sentBytes(): number {
    return this.#options.ring.sentBytes;
  }

  /** See `FrameRing`. */
  get peerReport(): PeerReport | null {
    return this.#options.ring.peerReport;
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onPacket = null;
    this.#onLost = null;
    this.#options.close();
  }
}
