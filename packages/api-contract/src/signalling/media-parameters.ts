import { Closed } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

/*
 * Parameters that WebRTC peers exchange, in mediasoup's form of ORTC (mediasoup.org, "RTP Parameters and
 * Capabilities"). Their sizes are bounded here; mediasoup checks that they are compatible.
 */

const Name = Type.String({ maxLength: 128 });
const Count = Type.Integer({ minimum: 0, maximum: 0xff_ff_ff_ff });
const FormatParameters = Type.Record(Name, Type.Union([Type.String({ maxLength: 256 }), Type.Number()]));
const RtcpFeedback = Type.Array(Type.Object({ type: Name, parameter: Type.Optional(Name) }), {
  maxItems: 16,
});

const RtpCodec = {
  mimeType: Name,
  clockRate: Count,
  channels: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  parameters: Type.Optional(FormatParameters),
  rtcpFeedback: Type.Optional(RtcpFeedback),
};
const PayloadType = Type.Integer({ minimum: 0, maximum: 127 });
const HeaderExtensionId = Type.Integer({ minimum: 1, maximum: 255 });

/** Parameters of one stream. */
export const RtpParameters = Type.Object({
  mid: Type.Optional(Name),
  codecs: Type.Array(Type.Object({ ...RtpCodec, payloadType: PayloadType }), { minItems: 1, maxItems: 32 }),
  headerExtensions: Type.Optional(
    Type.Array(
      Type.Object({
        uri: Type.String({ maxLength: 256 }),
        id: HeaderExtensionId,
        encrypt: Type.Optional(Type.Boolean()),
        parameters: Type.Optional(FormatParameters),
      }),
      { maxItems: 32 },
    ),
  ),
  encodings: Type.Optional(
    Type.Array(
      Type.Object({
        ssrc: Type.Optional(Count),
        rid: Type.Optional(Name),
        codecPayloadType: Type.Optional(PayloadType),
        rtx: Type.Optional(Type.Object({ ssrc: Count })),
        dtx: Type.Optional(Type.Boolean()),
        maxBitrate: Type.Optional(Count),
      }),
      { maxItems: 4 },
    ),
  ),
  rtcp: Type.Optional(
    Type.Object({ cname: Type.Optional(Name), reducedSize: Type.Optional(Type.Boolean()) }),
  ),
});
export type RtpParameters = Static<typeof RtpParameters>;

/** Capabilities of a receiver. */
export const RtpCapabilities = Type.Object({
  codecs: Type.Array(
    Type.Object({
      ...RtpCodec,
      kind: Type.Enum(['audio', 'video']),
      preferredPayloadType: Type.Optional(PayloadType),
    }),
    { maxItems: 128 },
  ),
  headerExtensions: Type.Optional(
    Type.Array(
      Type.Object({
        kind: Type.Enum(['audio', 'video']),
        uri: Type.String({ maxLength: 256 }),
        preferredId: HeaderExtensionId,
        preferredEncrypt: Type.Optional(Type.Boolean()),
        direction: Type.Optional(Name),
      }),
      { maxItems: 128 },
    ),
  ),
});
export type RtpCapabilities = Static<typeof RtpCapabilities>;

/** RFC 8122 fingerprints of the certificate, and the DTLS role. */
export const DtlsParameters = Closed({
  role: Type.Optional(Type.Enum(['auto', 'client', 'server'])),
  fingerprints: Type.Array(
    Closed({
      algorithm: Type.Enum(['sha-1', 'sha-224', 'sha-256', 'sha-384', 'sha-512']),
      value: Type.String({ maxLength: 256 }),
    }),
    { minItems: 1, maxItems: 8 },
  ),
});
export type DtlsParameters = Static<typeof DtlsParameters>;

/** RFC 8831: reliable if no limit is set. */
export const SctpStreamParameters = Type.Object({
  streamId: Type.Integer({ minimum: 0, maximum: 65_534 }),
  ordered: Type.Optional(Type.Boolean()),
  maxPacketLifeTime: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  maxRetransmits: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
});
export type SctpStreamParameters = Static<typeof SctpStreamParameters>;
