import { createOpusDecoder, createOpusEncoder, OPUS_FRAME_MS } from '@calls/audio/opus';
import { LeanClient } from '../../support/webrtc/lean-client.ts';
import type { CallerMedium } from './caller-medium.ts';

/** The rate that browsers use. */
const SPOKEN_RATE_HZ = 48_000;
const COMPLEXITY = 9;
const RECEIVED_RATE_HZ = 16_000;

/** DTLS-SRTP with Opus packets that are encoded in advance. Received packets are counted, not decoded. */
export const webrtcMedium: CallerMedium = {
  kind: 'webRtc',
  spec: { webRtc: {} },
  sampleRateHz: SPOKEN_RATE_HZ,
  aheadMs: 40,
  async createVoice() {
    const encoder = await createOpusEncoder({ sampleRateHz: SPOKEN_RATE_HZ, complexity: COMPLEXITY });
    const decoder = await createOpusDecoder({ sampleRateHz: RECEIVED_RATE_HZ });
    return {
      encode: (samples) => encoder.encode(samples),
      decode(frame) {
        const samples = decoder.decode(frame);
        if (!samples) throw new Error('frame is not an Opus packet');
        return samples;
      },
      [Symbol.dispose]() {
        encoder[Symbol.dispose]();
        decoder[Symbol.dispose]();
      },
    };
  },
  async connect(joinUrl, { onOpen, onAudio, onMessage, onLost }) {
    const client = await LeanClient.join(joinUrl, {
      onOpen,
      onPacket: () => onAudio(OPUS_FRAME_MS),
      onMessage,
    });
    void client.signalling.closed.promise.then(({ code, reason }) => onLost(`closed with ${code} ${reason}`));
    return {
      get packets() {
        return client.packets;
      },
      send: (frame) => client.speak(frame),
      hangUp: () => client.hangUp(),
    };
  },
};
