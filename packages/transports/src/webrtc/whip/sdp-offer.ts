import { DtlsParameters, RtpParameters } from '@calls/api-contract/signalling/media-parameters';
import { AppError } from '@calls/foundation/errors';
import { compileValidator, type Validator } from '@calls/foundation/schema/validator';
import type { types } from 'mediasoup';
import { parse, type MediaAttributes, type SessionDescription } from 'sdp-transform';
import { asText, isPayloadType } from '../../sdp-values.ts';
import type { PayloadTypes } from '../codecs.ts';

/** The offer is not acceptable. The message is sent to the client. */
export class OfferError extends AppError {
  constructor(message: string) {
    super('offer_not_acceptable', message);
  }
}

const RTP_PARAMETERS = compileValidator('offer', RtpParameters);
const DTLS_PARAMETERS = compileValidator('offer', DtlsParameters);

const MID_EXTENSION = 'urn:ietf:params:rtp-hdrext:sdes:mid';
const MAX_SECTIONS = 16;
/** A browser's offer with camera and data channel has about 200 lines. */
const MAX_LINES = 1000;

/** The parts of an SDP offer that the answer depends on. */
export interface Offer {
  /** All sections in order; those other than `audio` are rejected. */
  sections: readonly { type: string; protocol: string; payloads: string; mid: string }[];
  audioIndex: number;
  mid: string;
  payloadTypes: PayloadTypes;
  hasNack: boolean;
  /** What the client sends; null if it only receives. */
  sends: types.RtpParameters | null;
  /** Null if it does not receive. */
  receives: types.RtpCapabilities | null;
  dtlsParameters: types.DtlsParameters;
  midExtensionId: number | null;
}

/** Throws an OfferError. */
export function readOffer(text: string): Offer {
  if (!text.startsWith('v=0')) throw new OfferError('the body is not SDP');
  if (text.split(/\r?\n|\r/u, MAX_LINES + 1).length > MAX_LINES) {
    throw new OfferError(`the offer must have at most ${MAX_LINES} lines`);
  }
  try {
    return offerIn(parse(text));
  } catch (thrown) {
    if (thrown instanceof OfferError) throw thrown;
    // The parser accepts any text and skips what it cannot parse.
    throw new OfferError('the SDP cannot be parsed');
  }
}

function offerIn(session: SessionDescription): Offer {
  const { media } = session;
  if (media.length > MAX_SECTIONS)
    throw new OfferError(`the offer must have at most ${MAX_SECTIONS} sections`);
  const audioIndex = media.findIndex(({ type, port }) => type === 'audio' && port !== 0);
  const audio = media[audioIndex];
  if (!audio) throw new OfferError('the offer has no audio');
  const payloadTypes = payloadTypesOf(audio);
  const fingerprint = audio.fingerprint ?? session.fingerprint;
  if (!fingerprint) throw new OfferError('the offer has no fingerprint (DTLS)');
  const setup = audio.setup ?? session.setup ?? 'actpass';
  const direction = audio.direction ?? session.direction ?? 'sendrecv';
  const mid = asText(audio.mid ?? 0);
  const feedback = (audio.rtcpFb ?? []).filter(
    ({ payload }) => payload === '*' || Number(payload) === payloadTypes.opus,
  );
  const hasNack = feedback.some(({ type, subtype }) => type === 'nack' && subtype === undefined);
  const midExtensionId = audio.ext?.find(({ uri }) => uri === MID_EXTENSION)?.value ?? null;
  const offered = { mid, payloadTypes, hasNack, midExtensionId };
  return {
    sections: media.map((section, i) => ({
      type: section.type,
      protocol: section.protocol,
      payloads: asText(section.payloads ?? 0),
      mid: asText(section.mid ?? i),
    })),
    audioIndex,
    mid,
    payloadTypes,
    hasNack,
    sends: sends(direction) ? checked(RTP_PARAMETERS, sentBy(audio, offered)) : null,
    receives:
      direction === 'sendrecv' || direction === 'recvonly' ? receivableBy(payloadTypes, hasNack) : null,
    dtlsParameters: checked(DTLS_PARAMETERS, {
      role: setup === 'passive' ? 'server' : 'client',
      fingerprints: [
        {
          algorithm: fingerprint.type.toLowerCase() as types.FingerprintAlgorithm,
          value: fingerprint.hash.toUpperCase(),
        },
      ],
    }),
    midExtensionId,
  };
}

function sends(direction: string): boolean {
  return direction === 'sendrecv' || direction === 'sendonly';
}

function payloadTypesOf({ rtp }: MediaAttributes): PayloadTypes {
  const opus = rtp.find(({ codec, rate }) => asText(codec).toLowerCase() === 'opus' && rate === 48_000);
  if (!opus) throw new OfferError('the offer has no Opus');
  if (!isPayloadType(opus.payload)) throw new OfferError('payload types must be at most 127');
  const eventsAt = (wanted: number) =>
    rtp.find(
      ({ codec, rate, payload }) =>
        asText(codec).toLowerCase() === 'telephone-event' &&
        rate === wanted &&
        payload !== opus.payload &&
        isPayloadType(payload),
    );
  const events = [48_000, 8000].flatMap((rate) => {
    const found = eventsAt(rate);
    return found ? [[found.payload, rate] as const] : [];
  });
  return { opus: opus.payload, telephoneEvents: new Map(events) };
}

/** The parser accepts numbers of any size. Values for mediasoup are bounded as on the signalling socket. */
function checked<T extends object>(validator: Validator<object>, parameters: T): T {
  const [issue] = validator.issues(parameters);
  if (issue) throw new OfferError(`the offer’s ${issue.path} ${issue.message}`);
  return parameters;
}

function codecsOf({ opus, telephoneEvents }: PayloadTypes, hasNack: boolean): types.RtpCodecParameters[] {
  return [
    {
      mimeType: 'audio/opus',
      payloadType: opus,
      clockRate: 48_000,
      channels: 2,
      parameters: { useinbandfec: 1 },
      rtcpFeedback: hasNack ? [{ type: 'nack' }] : [],
    },
    ...[...telephoneEvents].map(([payloadType, clockRate]) => ({
      mimeType: 'audio/telephone-event',
      payloadType,
      clockRate,
    })),
  ];
}

function sentBy(
  audio: MediaAttributes,
  {
    mid,
    payloadTypes,
    hasNack,
    midExtensionId,
  }: Pick<Offer, 'mid' | 'payloadTypes' | 'hasNack' | 'midExtensionId'>,
): types.RtpParameters {
  const ssrc = audio.ssrcs?.[0]?.id;
  const cname = audio.ssrcs?.find(({ attribute }) => attribute === 'cname')?.value;
  if (ssrc === undefined && midExtensionId === null) {
    throw new OfferError(`the offer must have an ssrc or the header extension ${MID_EXTENSION}`);
  }
  return {
    mid,
    codecs: codecsOf(payloadTypes, hasNack),
    headerExtensions: midExtensionId === null ? [] : [{ uri: MID_EXTENSION, id: midExtensionId }],
    encodings: [ssrc === undefined ? {} : { ssrc }],
    rtcp: { ...(cname !== undefined && { cname: asText(cname) }), reducedSize: true },
  };
}

function receivableBy(payloadTypes: PayloadTypes, hasNack: boolean): types.RtpCapabilities {
  return {
    codecs: codecsOf(payloadTypes, hasNack).map(({ payloadType, ...codec }) => ({
      ...codec,
      kind: 'audio',
      preferredPayloadType: payloadType,
    })),
  };
}
