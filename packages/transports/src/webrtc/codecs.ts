import type { types } from 'mediasoup';

/** RTP payload types of one call. */
export interface PayloadTypes {
  opus: number;
  /** Clock rates by payload type (RFC 4733). */
  telephoneEvents: ReadonlyMap<number, number>;
}

/** Payload types for clients that accept the service's choice. */
export const OWN_PAYLOAD_TYPES: PayloadTypes = {
  opus: 100,
  telephoneEvents: new Map([
    [101, 48_000],
    [102, 8000],
  ]),
};

/** Value of `maxplaybackrate`. Browsers then encode wideband audio, which takes a quarter of the CPU time to decode. */
export const INPUT_RATE_HZ = 16_000;

const OPUS = {
  mimeType: 'audio/opus',
  clockRate: 48_000,
  channels: 2,
  parameters: { useinbandfec: 1, usedtx: 0, minptime: 10 },
};

/** Codecs that a call's client may send and receive. */
export function routerCodecs({ opus, telephoneEvents }: PayloadTypes): types.RouterRtpCodecCapability[] {
  return [
    {
      kind: 'audio',
      ...OPUS,
      parameters: { ...OPUS.parameters, maxplaybackrate: INPUT_RATE_HZ },
      preferredPayloadType: opus,
      rtcpFeedback: [{ type: 'nack' }, { type: 'transport-cc' }],
    },
    ...[...telephoneEvents].map(([preferredPayloadType, clockRate]) => ({
      kind: 'audio' as const,
      mimeType: 'audio/telephone-event',
      clockRate,
      preferredPayloadType,
    })),
  ];
}

/** RTP parameters of the agent's audio. */
export function agentRtpParameters(ssrc: number, { opus }: PayloadTypes): types.RtpParameters {
  return {
    codecs: [{ ...OPUS, payloadType: opus, rtcpFeedback: [{ type: 'nack' }] }],
    encodings: [{ ssrc }],
    rtcp: { cname: 'agent' },
  };
}
