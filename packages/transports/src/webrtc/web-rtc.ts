import type { WebRtcSpec } from '@calls/api-contract/call-spec';
import type { IceServer } from '@calls/api-contract/signalling/signal-messages';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { types } from 'mediasoup';
import type { WebSocket } from 'ws';
import { iceServers, type CallSpan, type TurnConfig } from './ice-servers.ts';
import type { RtcAddresses } from './listen-infos.ts';
import type { OpusThread } from '../opus/opus-thread.ts';
import type { RtpThread } from '../rtp-thread/rtp-thread.ts';
import { SignallingClient } from './signalling-client.ts';
import type { WebRtcMeter } from './web-rtc-meter.ts';
import { joinByOffer, type WhipJoin } from './whip/whip-join.ts';
import { WorkerPool, type WorkerSlot } from './worker-pool.ts';

/**
 * Maximum number of connections per call that are being set up. A reconnecting client may have left one that is dead
 * but not yet detected.
 */
const MAX_PER_CALL = 3;

export interface WebRtcConfig {
  /** Path of mediasoup's worker program. */
  workerBin: string;
  /** Worker i listens on `port` + i, UDP and TCP. */
  port: number;
  workers: number;
  addresses: RtcAddresses;
  turn: TurnConfig;
}

export type MediasoupWorker = Pick<types.Worker, 'pid' | 'dump' | 'getResourceUsage'>;

export interface WebRtcOptions {
  config: WebRtcConfig;
  opus: OpusThread;
  rtp: RtpThread;
  meter: WebRtcMeter;
  clock: Clock;
  log: Logger;
}

/** Close code for a join that may be retried (docs/reference/joining.md). */
const TRY_AGAIN = 4503;

export interface WebRtcCall extends CallSpan {
  spec: WebRtcSpec;
}

/** The WebRTC support of this process. */
export class WebRtc implements AsyncDisposable {
  readonly #options: WebRtcOptions;
  readonly #pool: WorkerPool;
  readonly #opus: OpusThread;
  readonly #setUps = new SetUps();

  private constructor(options: WebRtcOptions, pool: WorkerPool) {
    this.#options = options;
    this.#pool = pool;
    this.#opus = options.opus;
  }

  /** Resolves even if WebRTC is not available yet: see `unavailableReason`. */
  static async start(options: WebRtcOptions): Promise<WebRtc> {
    const { config, meter, clock, log } = options;
    const onDeath = (): void => meter.workerDied();
    return new WebRtc(options, await WorkerPool.start({ ...config, clock, log, onDeath }));
  }

  /** Why WebRTC is not available; null if it is. */
  get unavailableReason(): string | null {
    if (this.#pool.unavailableReason !== null) return this.#pool.unavailableReason;
    if (!this.#opus.isReady) return 'the codec thread is restarting';
    return this.#options.rtp.isReady ? null : 'the RTP thread is restarting';
  }

  /** Number of clients that are connected or connecting. */
  get connections(): number {
    return this.#pool.load;
  }

  /** The running mediasoup workers. */
  get workers(): readonly MediasoupWorker[] {
    return this.#pool.workers;
  }

  /**
   * Connects a client by signalling on `socket`. Null if the client leaves or is rejected; the socket is then closed.
   * Never rejects.
   */
  async negotiate(call: WebRtcCall, socket: WebSocket): Promise<MediaTransport | null> {
    const { rtp, meter, clock, log } = this.#options;
    const { callId, spec } = call;
    const place = this.#takePlace();
    if (!place) {
      socket.on('error', () => undefined);
      socket.close(TRY_AGAIN, 'no_webrtc');
      return null;
    }
    const startMs = clock.nowMs();
    const client = new SignallingClient({
      socket,
      place,
      opus: this.#opus,
      rtp,
      spec,
      iceServers: this.iceServers(call),
      clock,
      log: log.child({ callId }),
      onOutcome: (outcome) => meter.setUp(outcome, clock.nowMs() - startMs),
      meter,
    });
    const setUp = this.#setUps.begin(callId, () => client.giveUp());
    const transport = await client.join();
    setUp.end({ hasJoined: transport !== null });
    return transport;
  }

  /**
   * Connects a client by an SDP offer; null if WebRTC is not available. Rejects with an OfferError if the offer is not
   * acceptable.
   */
  async answer({ callId, spec }: WebRtcCall, offer: string): Promise<WhipJoin | null> {
    const { rtp, meter, clock } = this.#options;
    const place = this.#takePlace();
    if (!place) return null;
    const startMs = clock.nowMs();
    const join = await joinByOffer({
      place,
      opus: this.#opus,
      rtp,
      spec,
      offer,
      onOutcome: (outcome) => meter.setUp(outcome, clock.nowMs() - startMs),
      meter,
      clock,
    });
    const setUp = this.#setUps.begin(callId, () => join.giveUp());
    void join.connected.then((transport) => setUp.end({ hasJoined: transport !== null }));
    return join;
  }

  /** STUN and TURN servers for a client. */
  iceServers(call: CallSpan): IceServer[] {
    return iceServers(this.#options.config.turn, call);
  }

  /** Remaining calls lose their media. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }

  #takePlace(): WorkerSlot | null {
    return this.#opus.isReady && this.#options.rtp.isReady ? this.#pool.take() : null;
  }
}

/** A connection that is being set up. */
export interface SetUp {
  /**
   * If its client has joined, all other connections of the call are closed, because a call has one client. Idempotent.
   */
  end(how: { hasJoined: boolean }): void;
}

/** Connections that are being set up. Their number per call is limited, so that a token cannot be abused. */
export class SetUps {
  readonly #byCall = new Map<string, Set<() => void>>();

  /** Registers a connection until it ends. Beyond the limit, the oldest is given up: its `giveUp` is called once. */
  begin(callId: string, giveUp: () => void): SetUp {
    const ofCall = this.#byCall.get(callId) ?? new Set();
    this.#byCall.set(callId, ofCall);
    ofCall.add(giveUp);
    if (ofCall.size > MAX_PER_CALL) giveUpOldest(ofCall);
    return {
      end: ({ hasJoined }) => {
        if (ofCall.delete(giveUp) && hasJoined) while (ofCall.size > 0) giveUpOldest(ofCall);
        if (ofCall.size === 0 && this.#byCall.get(callId) === ofCall) this.#byCall.delete(callId);
      },
    };
  }
}

function giveUpOldest(ofCall: Set<() => void>): void {
  const [oldest] = ofCall;
  if (!oldest) return;
  ofCall.delete(oldest);
  oldest();
}
