import { endianness } from 'node:os';

// Samples and the bytes on every wire have the same layout, so views need no conversion.
if (endianness() !== 'LE') throw new Error('PCM conversion needs a little-endian machine');

/**
 * Reads samples (signed 16-bit little-endian): a view of the same memory if its offset is even, otherwise a
 * copy. A trailing odd byte is dropped; use PcmByteJoiner for streams.
 */
export function samplesFromBytes(bytes: Uint8Array): Int16Array {
  const sampleCount = bytes.byteLength >> 1;
  if (bytes.byteOffset % 2 === 0) return new Int16Array(bytes.buffer, bytes.byteOffset, sampleCount);
  return new Int16Array(copyOfBytes(bytes, sampleCount * 2));
}

function copyOfBytes(bytes: Uint8Array, length: number): ArrayBuffer {
  const copy = new Uint8Array(length);
  copy.set(bytes.byteLength === length ? bytes : bytes.subarray(0, length));
  return copy.buffer;
}

/** Returns the bytes of `samples`, signed 16-bit little-endian: a view of the same memory. */
export function bytesFromSamples(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** Concatenates `parts` in a new array. */
export function concatSamples(parts: readonly Int16Array[]): Int16Array {
  const output = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    output.set(part, position);
    position += part.length;
  }
  return output;
}

/** The level (root mean square) in decibels below full scale: 0 for a full square wave, -Infinity for silence. */
export function levelDbfs(samples: Int16Array): number {
  if (samples.length === 0) return -Infinity;
  let energy = 0;
  // Four times as fast as an iterator.
  for (let i = samples.length - 1; i >= 0; i -= 1) energy += (samples[i] ?? 0) ** 2;
  return 10 * Math.log10(energy / samples.length / (32_768 * 32_768));
}

export function msFromSamples(sampleCount: number, sampleRateHz: number): number {
  return (sampleCount * 1000) / sampleRateHz;
}

/** The nearest whole number of samples. */
export function samplesFromMs(durationMs: number, sampleRateHz: number): number {
  return Math.round((durationMs * sampleRateHz) / 1000);
}

/** Rounds and clips to full scale. */
export function clampToInt16(value: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(value)));
}

/**
 * Makes a loop of `samples`: the last `fadeSamples` (at most half) crossfade into the first, with equal power,
 * as suits uncorrelated audio. The loop is shorter by the fade.
 */
export function seamlessLoop(samples: Int16Array, fadeSamples: number): Int16Array {
  const fade = Math.min(fadeSamples, samples.length >> 1);
  const loop = samples.slice(0, samples.length - fade);
  for (let i = 0; i < fade; i += 1) {
    const angle = (Math.PI / 2) * ((i + 0.5) / fade);
    const rising = (samples[i] ?? 0) * Math.sin(angle);
    const falling = (samples[loop.length + i] ?? 0) * Math.cos(angle);
    loop[i] = clampToInt16(rising + falling);
  }
  return loop;
}
