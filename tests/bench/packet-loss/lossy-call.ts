import { setTimeout as sleep } from 'node:timers/promises';
import { concatSamples } from '@calls/audio/pcm';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import { resample, withSilence } from '@calls/testkit/speech/shaping';
import { eventually } from '../../support/eventually.ts';
import { PERFECT_LINK, type LinkConditions } from '../../support/lossy-link.ts';
import { startLossyRelay, type LossyRelay } from '../../support/lossy-relay.ts';
import { SPOKEN_RATE_HZ, WebRtcClient } from '../../support/webrtc/webrtc-client.ts';
import type { WebRtcServer } from '../../support/webrtc/web-rtc-server.ts';
import { sayAtPace } from './pace.ts';
import { SENTENCE_RATE_HZ } from './speech.ts';

const AROUND = { beforeMs: 200, afterMs: 300, sampleRateHz: SPOKEN_RATE_HZ };
/** All delayed packets arrive within this time. */
const LAST_OF_IT_MS = 400;

/** A WebRTC client behind its own lossy network, with real DTLS-SRTP and retransmissions. */
export class LossyCall implements AsyncDisposable {
  readonly relay: LossyRelay;
  /** Time from the first packet to the start of the call. */
  readonly setUpMs: number;
  readonly #client: WebRtcClient;
  readonly #transport: MediaTransport;
  readonly #received: Int16Array[] = [];

  private constructor(client: WebRtcClient, transport: MediaTransport, relay: LossyRelay, setUpMs: number) {
    this.#client = client;
    this.#transport = transport;
    this.relay = relay;
    this.setUpMs = setUpMs;
    void this.#listen();
  }

  /** One call at a time per server. `address`: a loopback address of its own for each call, from 127.0.0.2. */
  static async join(server: WebRtcServer, address: string, link: LinkConditions): Promise<LossyCall> {
    const client = await WebRtcClient.connect(server.url);
    const { sendTransport, receiveTransport } = client.ready;
    const candidates = [sendTransport, receiveTransport].flatMap(({ iceCandidates }) => iceCandidates);
    const [first] = candidates.filter(({ protocol }) => protocol === 'udp');
    if (!first) throw new Error('the server has no UDP candidate');
    const relay = await startLossyRelay({
      listenAddress: address,
      serverAddress: first.address,
      port: first.port,
      conditions: PERFECT_LINK,
      seed: 11,
    });
    for (const candidate of candidates) candidate.address = address;
    const startMs = performance.now();
    const joined = server.joins.length;
    await client.setUp({ data: false });
    await client.signalling.request({ type: 'rtc_join' });
    const setUpMs = performance.now() - startMs;
    await eventually(() => {
      if (server.joins.length === joined) throw new Error('not joined');
    });
    relay.setConditions(link);
    return new LossyCall(client, server.transport, relay, setUpMs);
  }

  /** Speaks a sentence in real time and resolves to the audio that the service received, at 16 kHz. */
  async say(samples: Int16Array): Promise<Int16Array> {
    const from = this.#received.length;
    const padded = withSilence(resample(samples, SENTENCE_RATE_HZ, SPOKEN_RATE_HZ), AROUND);
    await sayAtPace(padded, SPOKEN_RATE_HZ, (frame) => this.#client.speak(frame));
    await sleep(LAST_OF_IT_MS);
    return concatSamples(this.#received.slice(from));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.vanish();
    await this.#transport.close('hangup');
    await this.relay[Symbol.asyncDispose]();
  }

  /**
   * Ignores `input_missing`: it only occurs when the machine is too busy to send in time, and the late audio still
   * arrives.
   */
  async #listen(): Promise<void> {
    for await (const event of this.#transport.events) {
      if (event.type === 'audio') this.#received.push(event.samples);
    }
  }
}
