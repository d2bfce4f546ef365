import { createOpusDecoder, createOpusEncoder, OPUS_FRAME_MS } from '@calls/audio/opus';
import { MinimalClient } from '../../support/webrtc/minimal-client.ts';
import { joinUrlOf, readMessage, type CallerMedium } from './caller-medium.ts';

/** Browsers encode wideband because of the service's `maxplaybackrate`. */
const RATE_HZ = 16_000;
/** The settings of browsers. Opus uses SILK mode when loss is expected. */
const ENCODING = { bitrate: 20_000, complexity: 9, expectedLossPercent: 1 };

/** DTLS-SRTP with Opus packets that are encoded in advance. Received packets are counted, not decoded. */
export const webrtcMedium: CallerMedium = {
  kind: 'webRtc',
  sampleRateHz: RATE_HZ,
  aheadMs: 40,
  async createVoice() {
    const encoder = await createOpusEncoder({ sampleRateHz: RATE_HZ, ...ENCODING });
    const decoder = await createOpusDecoder({ sampleRateHz: RATE_HZ });
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
  async connect(createCall, events) {
    const { onOpen, onAudio, onLost } = events;
    const client = await MinimalClient.join(joinUrlOf(await createCall({ webRtc: {} })), {
      onOpen,
      onPacket: () => onAudio(OPUS_FRAME_MS),
      onMessage: (message) => readMessage(message, events),
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
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
