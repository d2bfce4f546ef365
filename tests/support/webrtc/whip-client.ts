import { createOpusDecoder, type OpusDecoder } from '@calls/audio/opus';
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters } from 'werift';

/** Handshakes take seconds on a busy machine. */
const CONNECT_LIMIT_MS = 60_000;

/** A generic WebRTC client that joins with an SDP offer (WHIP, RFC 9725). */
export class WhipClient {
  readonly received: number[] = [];
  readonly #peer: RTCPeerConnection;
  readonly #decoder: OpusDecoder;
  readonly #url: string;
  #session: string | null = null;

  private constructor(url: string, decoder: OpusDecoder) {
    this.#url = url;
    this.#decoder = decoder;
    this.#peer = new RTCPeerConnection({
      // Differs from the payload type that the service would choose.
      codecs: {
        audio: [
          new RTCRtpCodecParameters({
            mimeType: 'audio/opus',
            clockRate: 48_000,
            channels: 2,
            payloadType: 109,
          }),
        ],
        video: [],
      },
      bundlePolicy: 'max-bundle',
      iceUseIpv6: false,
      iceUseTcp: false,
      iceServers: [],
      iceAdditionalHostAddresses: ['127.0.0.1'],
    });
    this.#peer.onTrack.subscribe((track) => {
      track.onReceiveRtp.subscribe((packet) => {
        const samples = this.#decoder.decode(packet.payload);
        if (samples) for (const sample of samples) this.received.push(sample);
      });
    });
  }

  /** `url`: HTTP form of the join URL. Resolves when media is connected. */
  static async join(url: string): Promise<WhipClient> {
    const client = new WhipClient(url, await createOpusDecoder({ sampleRateHz: 16_000 }));
    const peer = client.#peer;
    peer.addTransceiver(new MediaStreamTrack({ kind: 'audio' }), { direction: 'sendrecv' });
    const offer = await peer.setLocalDescription(await peer.createOffer());
    const response = await client.post(offer.toJSON().sdp);
    if (response.status !== 201) {
      await peer.close();
      throw new Error(`${response.status}: ${await response.text()}`);
    }
    client.#session = response.headers.get('location');
    await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
    await peer.connectionStateChange.watch((state) => state === 'connected', CONNECT_LIMIT_MS);
    return client;
  }

  post(sdp: string): Promise<Response> {
    return fetch(this.#url, { method: 'POST', headers: { 'content-type': 'application/sdp' }, body: sdp });
  }

  /** Ends the session and returns the status of the response. */
  async hangUp(): Promise<number> {
    const { status } = await fetch(new URL(this.#session ?? '', this.#url), { method: 'DELETE' });
    await this.#peer.close();
    return status;
  }
}
