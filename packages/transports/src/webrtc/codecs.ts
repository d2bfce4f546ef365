import type { types } from 'mediasoup';

export const OPUS_PAYLOAD_TYPE = 100;
/** Clock rates by payload type. */
export const TELEPHONE_EVENTS: ReadonlyMap<number, number> = new Map([
  [101, 48_000],
  [102, 8000],
]);

const OPUS = {
  mimeType: 'audio/opus',
  clockRate: 48_000,
  channels: 2,
  parameters: { useinbandfec: 1, usedtx: 0, minptime: 10 },
};

/** What a call's clients may send and receive. */
export const ROUTER_CODECS: types.RouterRtpCodecCapability[] = [
  {
    kind: 'audio',
    ...OPUS,
    preferredPayloadType: OPUS_PAYLOAD_TYPE,
    rtcpFeedback: [{ type: 'nack' }, { type: 'transport-cc' }],
  },
  ...[...TELEPHONE_EVENTS].map(([preferredPayloadType, clockRate]) => ({
    kind: 'audio' as const,
    mimeType: 'audio/telephone-event',
    clockRate,
    preferredPayloadType,
  })),
];

/** What the agent sends. */
export function agentRtpParameters(ssrc: number): types.RtpParameters {
  return {
    codecs: [{ ...OPUS, payloadType: OPUS_PAYLOAD_TYPE, rtcpFeedback: [{ type: 'nack' }] }],
    encodings: [{ ssrc }],
    rtcp: { cname: 'agent' },
  };
}
