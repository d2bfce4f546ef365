import type { SignalReady, SignalResults } from '@calls/api-contract';
import type { Device } from 'mediasoup-client';
import type { DataProducer, Producer, Transport } from 'mediasoup-client/types';
import { CallError } from './call-error.ts';
import { IceRecovery } from './ice-recovery.ts';
import { capabilitiesToWire, parametersFromWire, parametersToWire, transportOptions } from './ortc-types.ts';
import type { SignallingSocket } from './signalling-socket.ts';

/** Speech only: one channel, repaired after losses, and silence is sent like everything else. */
const OPUS = { opusStereo: false, opusFec: true, opusDtx: false, opusNack: true };
const DATA_CHANNEL = { label: 'calls', ordered: true };

export interface MediaLinkOptions {
  device: Device;
  socket: SignallingSocket;
  ready: SignalReady;
  onMessage: (data: unknown) => void;
  /** The media is gone for good. */
  onLost: () => void;
}

/**
 * Audio and data between here and the service: one transport each way. Requests are not waited for before the next one is sent, where
 * nothing in their answers is needed for it: `settled` tells of those.
 */
export class MediaLink {
  readonly #options: MediaLinkOptions;
  readonly #send: Transport;
  readonly #receive: Transport;
  readonly #recoveries: IceRecovery[] = [];
  readonly #unanswered: Promise<unknown>[] = [];
  readonly #encoder = new TextEncoder();
  #microphone: Producer | null = null;
  /** One at a time. */
  #change = Promise.resolve();
  #data: DataProducer | null = null;

  /** The device is loaded. */
  constructor(options: MediaLinkOptions) {
    const { device, ready } = options;
    this.#options = options;
    this.#send = this.#prepare(device.createSendTransport(transportOptions(ready.sendTransport, ready)));
    this.#receive = this.#prepare(
      device.createRecvTransport(transportOptions(ready.receiveTransport, ready)),
    );
    const { socket } = options;
    this.#send.on('produce', ({ rtpParameters }, done) => {
      this.#ask(socket.request('rtc_produce_audio', { rtpParameters: parametersToWire(rtpParameters) }));
      // Ids are for ourselves.
      done({ id: 'microphone' });
    });
    this.#send.on('producedata', ({ sctpStreamParameters }, done) => {
      const { streamId = 0, ordered = true } = sctpStreamParameters;
      this.#ask(socket.request('rtc_produce_data', { sctpStreamParameters: { streamId, ordered } }));
      done({ id: 'data' });
    });
  }

  /** Both halves of the data channel and the agent's voice; the agent's track. */
  async open(): Promise<MediaStreamTrack> {
    const { device, socket, onMessage } = this.#options;
    const [{ audio, data }, dataProducer] = await Promise.all([
      socket.request('rtc_consume', {
        rtpCapabilities: capabilitiesToWire(device.recvRtpCapabilities),
        data: true,
      }),
      this.#send.produceData(DATA_CHANNEL),
    ]);
    this.#data = dataProducer;
    const [consumer] = await Promise.all([
      this.#receive.consume({ ...audio, rtpParameters: parametersFromWire(audio.rtpParameters) }),
      this.#consumeData(data, onMessage),
    ]);
    return consumer.track;
  }

  /** What is heard of the user; null: nothing. The track stays its owner's. */
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

  /** Rejects where the service refused anything it has been asked for so far. */
  async settled(): Promise<void> {
    await Promise.all(this.#unanswered);
    this.#unanswered.length = 0;
  }

  /** Whether it went: not before the channel is open, and not what is too large for it. */
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
    for (const recovery of this.#recoveries) recovery.close();
    this.#send.close();
    this.#receive.close();
  }

  async #consumeData(
    data: SignalResults['rtc_consume']['data'],
    onMessage: (data: unknown) => void,
  ): Promise<void> {
    if (!data) throw new CallError('signalling_failed', 'the service offers no data channel');
    const consumer = await this.#receive.consumeData(data);
    consumer.on('message', onMessage);
  }

  #prepare(transport: Transport): Transport {
    const { socket, onLost } = this.#options;
    const transportId = transport.id;
    transport.on('connect', ({ dtlsParameters }, done) => {
      this.#ask(socket.request('rtc_connect_transport', { transportId, dtlsParameters }));
      done();
    });
    const recovery = new IceRecovery({
      requestRestart: async () => (await socket.request('rtc_restart_ice', { transportId })).iceParameters,
      restart: (iceParameters) => transport.restartIce({ iceParameters }),
      onGivenUp: onLost,
    });
    this.#recoveries.push(recovery);
    transport.on('connectionstatechange', (state) => recovery.onState(state));
    return transport;
  }

  #ask(answer: Promise<unknown>): void {
    // Heard of through `settled`.
    answer.catch(() => undefined);
    this.#unanswered.push(answer);
  }
}
