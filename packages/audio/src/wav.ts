import { decodeALaw, decodeMuLaw } from './g711.ts';
import { bytesFromSamples, clampToInt16 } from './pcm.ts';
import { buildWavHeader, readWavHeader, WavError, type WavFormat, WAV_HEADER_BYTES } from './wav-header.ts';

export interface WavAudio {
  sampleRateHz: number;
  /** Mono: the mean of all channels. */
  samples: Int16Array;
}

/** Parses a whole WAV file. If the size is missing, a dummy or beyond the end, reads to the end. */
export function parseWav(bytes: Uint8Array): WavAudio {
  const header = readWavHeader(bytes);
  if (!header) throw new WavError(`${bytes.byteLength} bytes end before the audio begins`);
  const { format, dataOffset, dataBytes } = header;
  const end = dataBytes === undefined ? bytes.byteLength : Math.min(bytes.byteLength, dataOffset + dataBytes);
  return {
    sampleRateHz: format.sampleRateHz,
    samples: decodeWavData(bytes.subarray(dataOffset, end), format),
  };
}

/** Encodes 16-bit PCM as a WAV file: one channel, or several of the same length. */
export function encodeWav(channels: Int16Array | readonly Int16Array[], sampleRateHz: number): Uint8Array {
  const tracks = channels instanceof Int16Array ? [channels] : channels;
  const frames = tracks[0]?.length ?? 0;
  if (tracks.length === 0 || tracks.some((track) => track.length !== frames)) {
    throw new RangeError('a WAV file needs channels of the same length');
  }
  const dataBytes = frames * tracks.length * 2;
  const bytes = new Uint8Array(WAV_HEADER_BYTES + dataBytes);
  bytes.set(buildWavHeader({ sampleRateHz, channels: tracks.length, dataBytes }));
  bytes.set(bytesFromSamples(interleave(tracks, frames)), WAV_HEADER_BYTES);
  return bytes;
}

function interleave(tracks: readonly Int16Array[], frames: number): Int16Array {
  const [first] = tracks;
  if (tracks.length === 1 && first) return first;
  const output = new Int16Array(frames * tracks.length);
  tracks.forEach((track, channel) => {
    for (let i = 0; i < frames; i += 1) output[i * tracks.length + channel] = track[i] ?? 0;
  });
  return output;
}

/** Returns the complete blocks in `data` as mono samples owned by the caller; a partial block is dropped. */
export function decodeWavData(data: Uint8Array, format: WavFormat): Int16Array {
  const { channels, blockBytes } = format;
  const sampleAt = sampleReader(data, format);
  const samples = new Int16Array(Math.floor(data.byteLength / blockBytes));
  for (let i = 0; i < samples.length; i += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += sampleAt(i * channels + channel);
    samples[i] = clampToInt16(sum / channels);
  }
  return samples;
}

/** Reads the sample at an index, scaled to 16 bits and unrounded. */
function sampleReader(data: Uint8Array, format: WavFormat): (index: number) => number {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  switch (format.encoding) {
    case 'a-law': {
      const decoded = decodeALaw(data);
      return (index) => decoded[index] ?? 0;
    }
    case 'mu-law': {
      const decoded = decodeMuLaw(data);
      return (index) => decoded[index] ?? 0;
    }
    case 'float':
      return format.bitsPerSample === 32
        ? (index) => view.getFloat32(index * 4, true) * 32_768
        : (index) => view.getFloat64(index * 8, true) * 32_768;
    case 'pcm':
      return pcmReader(view, format.bitsPerSample);
  }
}

function pcmReader(view: DataView, bitsPerSample: number): (index: number) => number {
  switch (bitsPerSample) {
    case 8:
      return (index) => (view.getUint8(index) - 128) * 256;
    case 16:
      return (index) => view.getInt16(index * 2, true);
    case 24:
      return (index) => view.getInt16(index * 3 + 1, true) + view.getUint8(index * 3) / 256;
    default:
      return (index) => view.getInt32(index * 4, true) / 65_536;
  }
}
