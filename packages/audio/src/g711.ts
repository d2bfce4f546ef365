/** ITU-T G.711: one byte per sample at 8 kHz, logarithmic. Tables, filled once. */

const MU_LAW_BIAS = 33;
const MU_LAW_CLIP = 8158;

/**
 * Encodes a mu-law byte: 14-bit magnitude plus bias, the segment of its highest bit, four bits of mantissa,
 * inverted.
 */
function muLawByte(sample: number): number {
  const magnitude = Math.min(Math.abs(sample) >> 2, MU_LAW_CLIP) + MU_LAW_BIAS;
  const segment = Math.min(7, 31 - Math.clz32(magnitude) - 5);
  const mantissa = (magnitude >> (segment + 1)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | mantissa) & 0xff;
}

function muLawSample(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 1) + MU_LAW_BIAS) << ((bits >> 4) & 0x07)) - MU_LAW_BIAS;
  return (bits & 0x80) === 0 ? magnitude * 4 : -magnitude * 4 + 0;
}

/** Encodes an A-law byte: 12-bit magnitude, linear in the first two segments, every other bit inverted. */
function aLawByte(sample: number): number {
  const magnitude = (sample < 0 ? -sample - 1 : sample) >> 4;
  const segment = magnitude < 32 ? magnitude >> 4 : 31 - Math.clz32(magnitude) - 3;
  const mantissa = segment === 0 ? magnitude & 0x0f : (magnitude >> (segment - 1)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | mantissa) ^ 0x55;
}

function aLawSample(byte: number): number {
  const bits = byte ^ 0x55;
  const segment = (bits >> 4) & 0x07;
  const half = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? half : (half + 256) << (segment - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}

const MU_LAW_SAMPLES = Int16Array.from({ length: 256 }, (_, byte) => muLawSample(byte));
const A_LAW_SAMPLES = Int16Array.from({ length: 256 }, (_, byte) => aLawSample(byte));
/** Indexed by the sample's 16 bits read as an unsigned number. */
const MU_LAW_BYTES = Uint8Array.from({ length: 65_536 }, (_, bits) => muLawByte((bits << 16) >> 16));
const A_LAW_BYTES = Uint8Array.from({ length: 65_536 }, (_, bits) => aLawByte((bits << 16) >> 16));

function encode(samples: Int16Array, table: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i += 1) bytes[i] = table[(samples[i] ?? 0) & 0xffff] ?? 0;
  return bytes;
}

function decode(bytes: Uint8Array, table: Int16Array): Int16Array {
  const samples = new Int16Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) samples[i] = table[bytes[i] ?? 0] ?? 0;
  return samples;
}

export const encodeMuLaw = (samples: Int16Array): Uint8Array => encode(samples, MU_LAW_BYTES);
export const decodeMuLaw = (bytes: Uint8Array): Int16Array => decode(bytes, MU_LAW_SAMPLES);
export const encodeALaw = (samples: Int16Array): Uint8Array => encode(samples, A_LAW_BYTES);
export const decodeALaw = (bytes: Uint8Array): Int16Array => decode(bytes, A_LAW_SAMPLES);
