import type { SignalReady, SignalResults } from '@calls/api-contract/signalling/signal-messages';
import type { Device } from 'mediasoup-client';
import type { DataProducer, Producer, Transport } from 'mediasoup-client/types';
import { CallError } from '../call-error.ts';
import { IceRecovery } from './ice-recovery.ts';
import { capabilitiesToWire, parametersFromWire, parametersToWire, transportOptions } from './ortc-types.ts';
import type { SignallingSocket } from '../connection/signalling-socket.ts';

/** Settings for speech: mono, forward error correction, no discontinuous transmission. */
const OPUS = { opusStereo: false, opusFec: true, opusDtx: false, opusNack: true };
const DATA_CHANNEL = { label: 'calls', ordered: true };

export interface MediaLinkOptions {
  device: Device;
  socket: SignallingSocket;
  ready: SignalReady;
  iceTransportPolicy: RTCIceTransportPolicy | undefined;
  onMessage: (data: unknown) => void;
  /** The media connection failed permanently. */
  onLost: () => void;
}

/**
 * Audio and data between the page and the service, with one transport per direction. Requests are pipelined where they
 * do not depend on earlier responses; `settled` reports their errors.
 */
export class MediaLink {
  readonly #options: MediaLinkOptions;
  readonly #send: Transport;
  readonly #receive: Transport;
  readonly #recoveries: IceRecovery[] = [];
  readonly #pending: Promise<unknown>[] = [];
  /** Resolves when the service has connected the receive transport; rejects if the media closes first. */
  readonly #received = Promise.withResolvers<unknown>();
  readonly #dataConsumed = Promise.withResolvers<true>();
  readonly #encoder = new TextEncoder();
  #microphone: Producer | null = null;
  /** Serializes microphone changes. */
  #change = Promise.resolve();
  #data: DataProducer | null = null;

  /** The device must be loaded. */
  constructor(options: MediaLinkOptions) {
    const { device, ready } = options;
    this.#options = options;
    // Reported through `settled`.
    this.#received.promise.catch(() => undefined);
    const { socket } = options;
    this.#send = this.#withRecovery(
      device.createSendTransport(transportOptions(ready.sendTransport, options)),
    );
    this.#receive = this.#withRecovery(
      device.createRecvTransport(transportOptions(ready.receiveTransport, options)),
    );
    this.#send.on('connect', ({ dtlsParameters }, done, failed) => {
      const transportId = this.#send.id;
      socket.request('rtc_connect_transport', { transportId, dtlsParameters }).then(done, failed);
    });
    this.#receive.on('connect', ({ dtlsParameters }, done) => {
      const transportId = this.#receive.id;
      const asked = socket.request('rtc_connect_transport', { transportId, dtlsParameters });
      this.#wait(asked);
      this.#receive.on('connectionstatechange', (state) => {
        if (state === 'connected') this.#received.resolve(asked);
      });
      done();
    });
    this.#send.on('produce', ({ rtpParameters }, done) => {
      this.#wait(socket.request('rtc_produce_audio', { rtpParameters: parametersToWire(rtpParameters) }));
      // The service does not need ids of producers.
      done({ id: 'microphone' });
    });
    this.#send.on('producedata', ({ sctpStreamParameters }, done) => {
      const { streamId = 0, ordered = true } = sctpStreamParameters;
      this.#wait(socket.request('rtc_produce_data', { sctpStreamParameters: { streamId, ordered } }));
      done({ id: 'data' });
    });
  }

  get isConnected(): boolean {
    return [this.#send, this.#receive].every(({ connectionState }) => connectionState === 'connected');
  }

  /**
   * Starts everything that needs no microphone; resolves to the agent's track. The data channel opens later; `settled`
   * waits for the request to open it.
   */
  async open(): Promise<MediaStreamTrack> {
    const { device, socket } = this.#options;
    this.#wait(this.#produceData());
    const { audio, data } = await socket.request('rtc_consume', {
      rtpCapabilities: capabilitiesToWire(device.recvRtpCapabilities),
      data: true,
    });
    const consumed = this.#receive.consume({
      ...audio,
      rtpParameters: parametersFromWire(audio.rtpParameters),
    });
    this.#wait(this.#consumeData(data));
    return (await consumed).track;
  }

  /** Sets the sent track; null sends nothing. The caller owns the track. */
  setMicrophone(track: MediaStreamTrack | null): Promise<void> {
    const change = this.#change.then(() => this.#changeMicrophone(track));
    this.#change = change.catch(() => undefined);
    return change;
  }

  async #changeMicrophone(track: MediaStreamTrack | null): Promise<void> {
    if (this.#microphone) await this.#microphone.replaceTrack({ track });
    else if (track) {
      this.#microphone = await this.#send.produce({
        track,
        codecOptions: OPUS,
        stopTracks: false,
        disableTrackOnPause: false,
      });
    }
  }

  /**
   * The service sends data messages as soon as the client has joined: without a listener they would be lost. Rejects if
   * the service rejected any request so far, or if the media closes first.
   */
  async canReceiveData(): Promise<void> {
    await Promise.race([this.#dataConsumed.promise, Promise.all(this.#pending)]);
  }

  /** Rejects if the service rejected any request so far. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
    this.#pending.length = 0;
  }

  /** Returns whether the message was sent: the channel must be open and the message small enough. */
  sendData(text: string): boolean {
    const { maxDataChannelBytes } = this.#options.ready;
    if (this.#data?.readyState !== 'open') return false;
    if (this.#encoder.encode(text).length > maxDataChannelBytes) return false;
    this.#data.send(text);
    return true;
  }

  async getStats(): Promise<{ send: RTCStatsReport; receive: RTCStatsReport }> {
    const [send, receive] = await Promise.all([this.#send.getStats(), this.#receive.getStats()]);
    return { send, receive };
  }

  close(): void {
    this.#received.reject(new Error('the media connection is closed'));
    for (const recovery of this.#recoveries) recovery.close();
    this.#send.close();
    this.#receive.close();
  }

  async #produceData(): Promise<void> {
    this.#data = await this.#send.produceData(DATA_CHANNEL);
  }

  /**
   * Waits until both transports are connected: the opening message would be dropped before, and repeated only after a
   * second.
   */
  async #consumeData(data: SignalResults['rtc_consume']['data']): Promise<void> {
    if (!data) throw new CallError('signalling_failed', 'the service offers no data channel');
    await this.#received.promise;
    const consumer = await this.#receive.consumeData(data);
    consumer.on('message', this.#options.onMessage);
    this.#dataConsumed.resolve(true);
  }

  #withRecovery(transport: Transport): Transport {
    const { socket, onLost } = this.#options;
    const { id: transportId } = transport;
    const recovery = new IceRecovery({
      requestRestart: async () => (await socket.request('rtc_restart_ice', { transportId })).iceParameters,
      restart: (iceParameters) => transport.restartIce({ iceParameters }),
      onGivenUp: onLost,
    });
    this.#recoveries.push(recovery);
    transport.on('connectionstatechange', (state) => recovery.onState(state));
    return transport;
  }

  #wait(done: Promise<unknown>): void {
    // Reported through `settled`.
    done.catch(() => undefined);
    this.#pending.push(done);
  }
}
