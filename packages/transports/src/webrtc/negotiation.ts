import type { RtpCapabilities } from '@calls/api-contract/signalling/media-parameters';
import type {
  IceServer,
  SignalErrorCode,
  SignalMessage,
  SignalResults,
  TransportParameters,
} from '@calls/api-contract/signalling/signal-messages';
import { parseSignalRequest, type SignalRequest } from '@calls/api-contract/signalling/signal-requests';
import { TokenBucket } from '@calls/foundation/token-bucket';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { types } from 'mediasoup';
import { isClientError, MAX_DATA_CHANNEL_BYTES, type MediaRoom } from './media-room.ts';
import type { MediaWatch } from './media-watch.ts';
import {
  signallingBegins,
  stepSignalling,
  type SignallingEvent,
  type SignallingState,
} from './signalling.ts';
import type { WebRtcMeter } from './web-rtc-meter.ts';

/** Limit of signalling requests per client. */
const REQUESTS = { burst: 50, perSecond: 1 };

export interface NegotiationOptions {
  room: MediaRoom;
  watch: MediaWatch;
  send: (message: SignalMessage) => void;
  iceServers: IceServer[];
  /** Called once, when the client has joined and receives data. */
  onJoined: () => void;
  meter: Pick<WebRtcMeter, 'iceRestarted'>;
  clock: Clock;
  log: Logger;
}

/** The service's side of signalling on one connection, until the room closes. */
export class Negotiation {
  readonly #options: NegotiationOptions;
  readonly #sendTransport: types.WebRtcTransport;
  readonly #receiveTransport: types.WebRtcTransport;
  readonly #allowance: TokenBucket;
  #wantsData = false;
  #state: SignallingState;

  private constructor(
    options: NegotiationOptions,
    sendTransport: types.WebRtcTransport,
    receiveTransport: types.WebRtcTransport,
  ) {
    this.#options = options;
    this.#sendTransport = sendTransport;
    this.#receiveTransport = receiveTransport;
    this.#allowance = new TokenBucket(REQUESTS, options.clock.nowMs());
    this.#state = signallingBegins(sendTransport.id, receiveTransport.id);
    options.watch.watch(sendTransport);
    options.watch.watch(receiveTransport);
    const look = (): void => this.#updateConnected();
    receiveTransport.on('dtlsstatechange', look);
    receiveTransport.on('sctpstatechange', look);
  }

  /** Creates both transports and sends their parameters to the client. */
  static async begin(options: NegotiationOptions): Promise<Negotiation> {
    const { room, send, iceServers } = options;
    const [sendTransport, receiveTransport] = await Promise.all([
      room.createTransport({ hasData: true }),
      room.createTransport({ hasData: true }),
    ]);
    const negotiation = new Negotiation(options, sendTransport, receiveTransport);
    send({
      type: 'rtc_ready',
      // mediasoup's own type, which is looser than the schema.
      routerRtpCapabilities: room.rtpCapabilities as RtpCapabilities,
      iceServers,
      sendTransport: parametersOf(sendTransport),
      receiveTransport: parametersOf(receiveTransport),
      maxDataChannelBytes: MAX_DATA_CHANNEL_BYTES,
    });
    return negotiation;
  }

  /** Returns false for messages that are not signalling. */
  take(text: string): boolean {
    const parsed = parseSignalRequest(text);
    if (!parsed) return false;
    if (!this.#allowance.take(this.#options.clock.nowMs())) {
      const requestId = parsed.kind === 'request' ? parsed.request.requestId : parsed.requestId;
      this.#refuse(requestId, 'out_of_order', 'too many requests');
    } else if (parsed.kind === 'malformed') {
      const issues = parsed.issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
      this.#refuse(parsed.requestId, 'invalid', `${parsed.type}: ${issues}`);
    } else {
      this.#step({ type: 'request', request: parsed.request });
    }
    return true;
  }

  #step(event: SignallingEvent): void {
    const { state, effects } = stepSignalling(this.#state, event);
    this.#state = state;
    for (const effect of effects) {
      switch (effect.type) {
        case 'perform':
          void this.#perform(effect.request);
          break;
        case 'refuse':
          this.#refuse(effect.requestId, effect.code, effect.message);
          break;
        case 'join':
          this.#options.send({ type: 'rtc_answer', requestId: effect.requestId, result: {} });
          this.#options.onJoined();
          break;
      }
    }
  }

  /** Never rejects. */
  async #perform(request: SignalRequest): Promise<void> {
    const { room, send, log } = this.#options;
    const { requestId } = request;
    try {
      const result = await this.#result(request);
      send({ type: 'rtc_answer', requestId, result });
    } catch (thrown) {
      if (room.closed) return;
      const error = toError(thrown);
      this.#step({ type: 'failed', request });
      if (isClientError(error)) {
        this.#refuse(requestId, 'invalid', error.message);
      } else {
        log.error({ err: error, request: request.type }, 'signalling request failed');
        this.#refuse(requestId, 'failed', 'the request failed; reconnect and try again');
      }
    }
  }

  async #result(request: SignalRequest): Promise<SignalResults[SignalRequest['type']]> {
    const { room } = this.#options;
    switch (request.type) {
      case 'rtc_connect_transport':
        await this.#transport(request.transportId).connect({ dtlsParameters: request.dtlsParameters });
        return {};
      case 'rtc_restart_ice':
        this.#options.meter.iceRestarted();
        return { iceParameters: await this.#transport(request.transportId).restartIce() };
      case 'rtc_produce_audio': {
        const rtpParameters = request.rtpParameters as types.RtpParameters;
        return { producerId: await room.takeAudio(this.#sendTransport, rtpParameters) };
      }
      case 'rtc_produce_data':
        return {
          dataProducerId: await room.takeData(this.#sendTransport, request.sctpStreamParameters),
        };
      case 'rtc_consume':
        return this.#consume(request.rtpCapabilities as types.RtpCapabilities, request.data);
      case 'rtc_join':
        return {};
    }
  }

  async #consume(
    rtpCapabilities: types.RtpCapabilities,
    withData: boolean,
  ): Promise<SignalResults['rtc_consume']> {
    const { room } = this.#options;
    this.#wantsData = withData;
    const audio = await room.giveAudio(this.#receiveTransport, rtpCapabilities);
    const data = withData ? await room.giveData(this.#receiveTransport) : null;
    const { id, producerId, rtpParameters } = audio;
    return {
      audio: {
        id,
        producerId,
        kind: 'audio',
        rtpParameters: rtpParameters as SignalResults['rtc_consume']['audio']['rtpParameters'],
      },
      data: data && {
        id: data.id,
        dataProducerId: data.dataProducerId,
        sctpStreamParameters: data.sctpStreamParameters ?? { streamId: 0 },
        label: data.label,
        protocol: data.protocol,
      },
    };
  }

  #transport(id: string): types.WebRtcTransport {
    return id === this.#sendTransport.id ? this.#sendTransport : this.#receiveTransport;
  }

  #updateConnected(): void {
    const { dtlsState, sctpState } = this.#receiveTransport;
    if (dtlsState !== 'connected' || this.#state.isConnected) return;
    if (!this.#wantsData || sctpState === 'connected') this.#step({ type: 'connected' });
  }

  #refuse(requestId: number | null, code: SignalErrorCode, message: string): void {
    const error = { code, message };
    this.#options.send(
      requestId === null ? { type: 'rtc_error', error } : { type: 'rtc_answer', requestId, error },
    );
  }
}

function parametersOf(transport: types.WebRtcTransport): TransportParameters {
  const { id, iceParameters, iceCandidates, dtlsParameters, sctpParameters } = transport;
  if (!sctpParameters) throw new Error('a transport without SCTP');
  const { port, OS, MIS, maxMessageSize } = sctpParameters;
  return {
    id,
    iceParameters,
    iceCandidates,
    dtlsParameters,
    sctpParameters: { port, OS, MIS, maxMessageSize },
  };
}
