import type { OpusSampleRateHz } from '@calls/audio/opus';
import type { SipCodec } from '@calls/api-contract/rest/sip-trunk';
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '@calls/audio/g711';

/** Name of a voice codec in SDP. */
export type VoiceCodec = SipCodec;

export interface VoiceFormat {
  /** Payload type in local offers; the static one (RFC 3551, 6) if there is one. */
  payloadType: number;
  isStatic: boolean;
  /** Clock rate of timestamps, as in SDP. G.722 has 8000 although it carries 16 kHz (RFC 3551, 4.5.2). */
  clockRateHz: number;
  channels: number;
  /** Format parameters of local descriptions; null if there are none. */
  parameters: string | null;
  /** Sample rate of decoded audio. */
  inputRateHz: OpusSampleRateHz;
  /** Sample rate of audio to be encoded. */
  outputRateHz: OpusSampleRateHz;
}

export const FRAME_MS = 20;

/** In the order of local offers. */
export const VOICE_FORMATS: Readonly<Record<VoiceCodec, VoiceFormat>> = {
  opus: {
    payloadType: 96,
    isStatic: false,
    clockRateHz: 48_000,
    channels: 2,
    parameters: 'maxplaybackrate=16000;sprop-maxcapturerate=24000;useinbandfec=1',
    inputRateHz: 16_000,
    outputRateHz: 24_000,
  },
  G722: {
    payloadType: 9,
    isStatic: true,
    clockRateHz: 8000,
    channels: 1,
    parameters: null,
    inputRateHz: 16_000,
    outputRateHz: 16_000,
  },
  PCMU: narrowband(0),
  PCMA: narrowband(8),
};

export const VOICE_CODECS = Object.keys(VOICE_FORMATS) as readonly VoiceCodec[];

interface Law {
  encode: (samples: Int16Array) => Uint8Array;
  decode: (bytes: Uint8Array) => Int16Array;
}

export const LAWS: Readonly<Record<'PCMU' | 'PCMA', Law>> = {
  PCMU: { encode: encodeMuLaw, decode: decodeMuLaw },
  PCMA: { encode: encodeALaw, decode: decodeALaw },
};

/** The codec of an `a=rtpmap` attribute; null if it is not supported. */
export function voiceCodecOf(name: string, clockRateHz: number, channels: number): VoiceCodec | null {
  return (
    VOICE_CODECS.find((codec) => {
      const format = VOICE_FORMATS[codec];
      return (
        codec.toLowerCase() === name.toLowerCase() &&
        format.clockRateHz === clockRateHz &&
        format.channels === channels
      );
    }) ?? null
  );
}

/** The codec of a payload type without an `a=rtpmap` attribute. */
export function staticVoiceCodec(payloadType: number): VoiceCodec | null {
  return (
    VOICE_CODECS.find(
      (codec) => VOICE_FORMATS[codec].isStatic && VOICE_FORMATS[codec].payloadType === payloadType,
    ) ?? null
  );
}

/** `PCMU/8000`, `opus/48000/2`. */
export function encodingOf(codec: VoiceCodec): string {
  const { clockRateHz, channels } = VOICE_FORMATS[codec];
  return `${codec}/${clockRateHz}${channels === 1 ? '' : `/${channels}`}`;
}

function narrowband(payloadType: number): VoiceFormat {
  const rates = { clockRateHz: 8000, inputRateHz: 8000, outputRateHz: 8000 } as const;
  return { payloadType, isStatic: true, channels: 1, parameters: null, ...rates };
}
