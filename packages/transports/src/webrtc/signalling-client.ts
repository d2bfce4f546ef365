import { MEDIA_SET_UP_LIMIT_MS } from '@calls/api-contract/call-lifetime';
import type { WebRtcSpec } from '@calls/api-contract/call-spec';
import type { IceServer, SignalMessage } from '@calls/api-contract/signalling/signal-messages';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { WebSocket } from 'ws';
import { ClientSocket } from '../client-socket/client-socket.ts';
import { Negotiation } from './negotiation.ts';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import type { RtpThread } from '../rtp-thread/rtp-thread.ts';
import { WebRtcTransport } from './transport.ts';
import type { JoinOutcome, WebRtcMeter } from './web-rtc-meter.ts';
import type { WorkerSlot } from './worker-pool.ts';

const MEDIA_NOT_CONNECTED = 4408;
const ALREADY_JOINED = 4409;
/** RFC 6455, section 7.4.1: clients reconnect. */
const INTERNAL_ERROR = 1011;
const MAX_UNSENT_BYTES = 1024 * 1024;
const MAX_SIGNAL_BYTES = 64 * 1024;

export interface SignallingClientOptions {
  socket: WebSocket;
  place: WorkerSlot;
  opus: OpusCodecs;
  rtp: Pick<RtpThread, 'openTo'>;
  spec: WebRtcSpec;
  iceServers: IceServer[];
  clock: Clock;
  log: Logger;
  onOutcome: (outcome: JoinOutcome) => void;
  meter: Pick<WebRtcMeter, 'sample' | 'lost' | 'iceRestarted'>;
}

/** A client on the signalling socket, from its opening to the end of the call. */
export class SignallingClient {
  readonly #options: SignallingClientOptions;
  readonly #socket: ClientSocket;
  readonly #joined = Promise.withResolvers<JoinOutcome>();
  #negotiation: Negotiation | null = null;
  #transport: WebRtcTransport | null = null;

  constructor(options: SignallingClientOptions) {
    this.#options = options;
    const { socket, clock } = options;
    this.#socket = new ClientSocket(
      { socket, clock, maxUnsentBytes: MAX_UNSENT_BYTES },
      {
        onText: (bytes) => this.#onText(bytes),
        onBinary: () => this.#refuse('invalid', 'binary messages are not supported'),
        onEnd: (reason, detail) => {
          this.#transport?.end(reason, detail);
          this.#joined.resolve('left');
        },
      },
    );
  }

  /**
   * The call's transport once the client is connected. Null if it does not connect; its socket is then closed. Never
   * rejects.
   */
  async join(): Promise<WebRtcTransport | null> {
    const { clock, onOutcome } = this.#options;
    const limit = clock.setTimer(MEDIA_SET_UP_LIMIT_MS, () => {
      this.#joined.resolve('not_connected');
      void this.#socket.closeWith(MEDIA_NOT_CONNECTED, 'media_not_connected');
    });
    await this.#begin();
    const outcome = await this.#joined.promise;
    limit.cancel();
    onOutcome(outcome);
    return outcome === 'joined' ? this.#transport : null;
  }

  /** Called before the join, when newer connections replace this one. */
  giveUp(): void {
    this.#joined.resolve('replaced');
    void this.#socket.closeWith(ALREADY_JOINED, 'already_joined');
  }

  /** Never rejects. */
  async #begin(): Promise<void> {
    const { place, opus, rtp, spec, iceServers, meter, clock, log } = this.#options;
    const socket = this.#socket;
    try {
      const transport = await WebRtcTransport.open({ place, opus, rtp, spec, socket, meter, clock });
      this.#transport = transport;
      if (socket.ended) {
        transport.end('lost', 'the client left');
        return;
      }
      const { room, watch } = transport;
      this.#negotiation = await Negotiation.begin({
        room,
        watch,
        iceServers,
        send: (message) => this.#send(message),
        onJoined: () => {
          transport.begin();
          this.#joined.resolve('joined');
        },
        meter,
        clock,
        log,
      });
    } catch (thrown) {
      this.#joined.resolve('failed');
      if (!socket.ended) log.error({ err: toError(thrown) }, 'failed to set up media');
      this.#transport?.end('lost', 'failed to set up media');
      await socket.closeWith(INTERNAL_ERROR, 'media_failed');
    }
  }

  #onText(bytes: Buffer): void {
    if (bytes.byteLength <= MAX_SIGNAL_BYTES && this.#negotiation?.take(bytes.toString('utf8'))) return;
    if (!this.#transport?.takeData(bytes))
      this.#refuse('out_of_order', 'not allowed before the response to rtc_join');
  }

  #refuse(code: 'invalid' | 'out_of_order', message: string): void {
    this.#send({ type: 'rtc_error', error: { code, message } });
  }

  #send(message: SignalMessage): void {
    this.#socket.send(JSON.stringify(message));
  }
}
