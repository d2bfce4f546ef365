import { Worker } from 'node:worker_threads';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { MonitoredThread } from '@calls/foundation/monitored-thread';
import { readRecords } from '../record-batch.ts';
import { FrameRing } from './frame-ring.ts';
import { FRAME_MS } from '../rtp/voice-codecs.ts';
import { RtpChannel, type RtpEngine, type TickTimes } from './rtp-channel.ts';
import {
  processOffsetMs,
  SharedTicks,
  type ContinueSending,
  type ListeningPort,
  type PeerPort,
  type RtpThreadNotice,
  type RtpThreadReply,
  type RtpThreadRequest,
} from './rtp-thread-messages.ts';

export interface RtpThreadOptions {
  log: Logger;
  clock: Clock;
}

type OpenedReply = RtpThreadReply & { type: 'opened' };

interface Entry {
  channel: RtpChannel | null;
  opened: (reply: OpenedReply) => void;
  failed: (err: Error) => void;
  onClosed: () => void;
}

/**
 * A garbage collection may take several milliseconds on a busy machine. With this size, there is one every few seconds.
 */
const YOUNG_GENERATION_MB = 24;

/** Starts the thread. `ticks` is shared with it. */
export type StartRtpWorker = (ticks: SharedArrayBuffer) => Worker;

const startRtpWorker: StartRtpWorker = (ticks) =>
  new Worker(new URL('./rtp-thread-entry.ts', import.meta.url), {
    name: 'rtp',
    workerData: ticks,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });

/**
 * The RTP of all calls of a process in one worker thread, which sends on time while the main thread is busy. If the
 * thread dies, all channels are lost; new ones can be opened when it was replaced.
 */
export class RtpThread implements RtpEngine, AsyncDisposable {
  /**
   * Called when the process did not run for a while, so that other processes may have continued its calls. Must close
   * the channels of those calls, and must not reject. Nothing is sent until it resolves.
   */
  onPaused: (() => Promise<void>) | null = null;
  readonly #clock: Clock;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #entries = new Map<number, Entry>();
  /** Difference between the main thread's clock and that of the process. */
  readonly #offsetMs: number;
  #thread!: MonitoredThread;
  #ticks = new SharedTicks();
  #nextChannel = 0;
  /** Requests to open and close without a reply. */
  #pending = 0;

  private constructor({ clock, log }: RtpThreadOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#offsetMs = processOffsetMs({ nowMs: () => clock.nowMs() });
  }

  /** Rejects if the thread does not start. */
  static async start(
    { log, clock }: RtpThreadOptions,
    startWorker: StartRtpWorker = startRtpWorker,
  ): Promise<RtpThread> {
    const rtp = new RtpThread({ clock, log });
    rtp.#thread = await MonitoredThread.start({
      name: 'rtp',
      start: () => {
        rtp.#ticks = new SharedTicks();
        return startWorker(rtp.#ticks.buffer);
      },
      onMessage: (message) => rtp.#onMessage(message as ArrayBuffer | RtpThreadReply | RtpThreadNotice),
      onLost: (err) => rtp.#lose(err),
      log,
      clock,
    });
    return rtp;
  }

  get isReady(): boolean {
    return this.#thread.isReady;
  }

  open(hosts: readonly string[], port: number, onClosed: () => void): Promise<RtpChannel> {
    return this.#open({ hosts, port }, onClosed);
  }

  /** Rejects with the system error. */
  openTo(at: PeerPort): Promise<RtpChannel> {
    return this.#open(at, () => undefined);
  }

  async #open(at: ListeningPort | PeerPort, onClosed: () => void): Promise<RtpChannel> {
    if (!this.#thread.isReady) throw new Error('the RTP thread is not running');
    const number = this.#nextChannel;
    this.#nextChannel += 1;
    const ring = new FrameRing();
    const { promise, resolve, reject } = Promise.withResolvers<OpenedReply>();
    const entry: Entry = { channel: null, opened: resolve, failed: reject, onClosed };
    this.#entries.set(number, entry);
    this.#request({ type: 'open', channel: number, at, ring: ring.buffer });
    const { port: openedPort, fingerprint } = await promise;
    if (!this.#entries.has(number)) throw new Error('the RTP thread ended');
    const channel = new RtpChannel({
      port: openedPort,
      fingerprint,
      ring,
      times: this.#timesOf(this.#ticks),
      post: (command) => this.#request({ type: 'apply', channel: number, command }),
      close: () => this.#request({ type: 'close', channel: number }),
      clock: this.#clock,
    });
    entry.channel = channel;
    return channel;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#entries.clear();
    await this.#thread[Symbol.asyncDispose]();
  }

  #timesOf(ticks: SharedTicks): TickTimes {
    const msOf = (tick: number): number => ticks.originMs + tick * FRAME_MS + this.#offsetMs;
    return {
      get nextMs() {
        return msOf(ticks.next);
      },
      msOf,
    };
  }

  /** Has no effect if the channel was lost. */
  #request(request: RtpThreadRequest): void {
    if (!this.#entries.has(request.channel)) return;
    if (request.type !== 'apply') {
      this.#pending += 1;
      this.#thread.expectResponse();
    }
    this.#thread.post(request);
  }

  #onMessage(message: ArrayBuffer | RtpThreadReply | RtpThreadNotice): void {
    if (message instanceof ArrayBuffer) {
      this.#onPackets(message);
      return;
    }
    switch (message.type) {
      case 'noPriority': {
        const { reason } = message;
        this.#log.warn(
          { reason },
          'RTP thread has no real-time priority; audio may be late on a busy machine',
        );
        return;
      }
      case 'noDtls':
        this.#log.warn(
          { reason: message.reason },
          'DTLS is not available; SIP calls with DTLS-SRTP are rejected',
        );
        return;
      case 'paused':
        void this.#continue();
        return;
      case 'lost':
        this.#entries.get(message.channel)?.channel?.lost(message.detail);
        return;
      default:
        this.#onReply(message);
    }
  }

  /** Resumes sending once the calls have been checked. */
  async #continue(): Promise<void> {
    await this.onPaused?.();
    this.#thread.post({ type: 'continue' } satisfies ContinueSending);
  }

  #onPackets(batch: ArrayBuffer): void {
    for (const { stream, number, payload } of readRecords(batch)) {
      const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
      this.#entries.get(stream)?.channel?.onPacket?.(bytes, number + this.#offsetMs);
    }
  }

  #onReply(reply: RtpThreadReply): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#thread.responded();
    else this.#thread.expectResponse();
    const entry = this.#entries.get(reply.channel);
    if (!entry) return;
    if (reply.type === 'opened') {
      entry.opened(reply);
      return;
    }
    this.#entries.delete(reply.channel);
    if (reply.type === 'closed') entry.onClosed();
    else entry.failed(Object.assign(new Error(reply.message), { code: reply.code }));
  }

  #lose(err: Error): void {
    const lost = [...this.#entries.values()];
    this.#entries.clear();
    this.#pending = 0;
    for (const { channel, failed, onClosed } of lost) {
      failed(err);
      channel?.lost('the RTP thread ended');
      if (channel) onClosed();
    }
  }
}
