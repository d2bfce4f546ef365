import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '@calls/audio/g711';

export const RATE_HZ = 8000;
export const FRAME_MS = 20;
export const FRAME_SAMPLES = (RATE_HZ * FRAME_MS) / 1000;

/** The codec's name in SDP. */
export type G711 = 'PCMU' | 'PCMA';

interface Law {
  /** Static payload type (RFC 3551, 6). */
  payloadType: number;
  encode: (samples: Int16Array) => Uint8Array;
  decode: (bytes: Uint8Array) => Int16Array;
  /** One frame of silence. */
  silence: Uint8Array;
}

export const LAWS: Readonly<Record<G711, Law>> = {
  PCMU: law(0, encodeMuLaw, decodeMuLaw),
  PCMA: law(8, encodeALaw, decodeALaw),
};

export function isG711(name: string): name is G711 {
  return Object.hasOwn(LAWS, name);
}

function law(payloadType: number, encode: Law['encode'], decode: Law['decode']): Law {
  return { payloadType, encode, decode, silence: encode(new Int16Array(FRAME_SAMPLES)) };
}
