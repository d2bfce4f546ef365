import { AppError } from '@calls/foundation/errors';

/** The data is not a WAV file or has an unsupported format. */
export class WavError extends AppError {
  constructor(message: string) {
    super('invalid_wav', message);
  }
}

export type WavEncoding = 'pcm' | 'float' | 'a-law' | 'mu-law';

export interface WavFormat {
  encoding: WavEncoding;
  channels: number;
  sampleRateHz: number;
  bitsPerSample: number;
  /** The samples of all channels at one time. */
  blockBytes: number;
}

export interface WavHeader {
  format: WavFormat;
  /** Offset of the audio data. */
  dataOffset: number;
  /** Size in the header; undefined if the size was unknown when the header was written (a stream). */
  dataBytes: number | undefined;
}

const ENCODINGS = new Map<number, { encoding: WavEncoding; bits: readonly number[] }>([
  [1, { encoding: 'pcm', bits: [8, 16, 24, 32] }],
  [3, { encoding: 'float', bits: [32, 64] }],
  [6, { encoding: 'a-law', bits: [8] }],
  [7, { encoding: 'mu-law', bits: [8] }],
]);
const EXTENSIBLE = 0xfffe;
const SUBFORMAT_OFFSET = 24;
/** Larger values are not sizes: streams have 0, all ones or a huge round number here. */
const LARGEST_PLAUSIBLE_BYTES = 0x7fff_0000 - 1;

/**
 * Parses up to the beginning of the audio, skipping unknown chunks. Returns undefined if `bytes` ends before
 * that; throws a WavError if more bytes cannot help.
 */
export function readWavHeader(bytes: Uint8Array): WavHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 12) return undefined;
  if (chunkId(view, 0) !== 'RIFF' || chunkId(view, 8) !== 'WAVE') throw new WavError('not a RIFF WAVE file');
  const riffBytes = view.getUint32(4, true);
  let format: WavFormat | undefined;
  for (let offset = 12; offset + 8 <= bytes.byteLength;) {
    const id = chunkId(view, offset);
    const sizeBytes = view.getUint32(offset + 4, true);
    const body = offset + 8;
    if (id === 'data') {
      if (!format) throw new WavError('the audio comes before its format');
      const fileBytesUnknown = riffBytes > LARGEST_PLAUSIBLE_BYTES || riffBytes + 8 < body;
      const unknown = sizeBytes > LARGEST_PLAUSIBLE_BYTES || (sizeBytes === 0 && fileBytesUnknown);
      return { format, dataOffset: body, dataBytes: unknown ? undefined : sizeBytes };
    }
    if (id === 'fmt ') {
      if (body + sizeBytes > bytes.byteLength) return undefined;
      format = readFormat(view, body, sizeBytes);
    }
    offset = body + sizeBytes + (sizeBytes % 2);
  }
  return undefined;
}

function chunkId(view: DataView, offset: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(offset + i)));
}

function readFormat(view: DataView, offset: number, sizeBytes: number): WavFormat {
  if (sizeBytes < 16) throw new WavError(`a format of ${sizeBytes} bytes is too short`);
  let tag = view.getUint16(offset, true);
  if (tag === EXTENSIBLE) {
    if (sizeBytes < SUBFORMAT_OFFSET + 2) throw new WavError('an extensible format without its subformat');
    tag = view.getUint16(offset + SUBFORMAT_OFFSET, true);
  }
  const channels = view.getUint16(offset + 2, true);
  const sampleRateHz = view.getUint32(offset + 4, true);
  const bitsPerSample = view.getUint16(offset + 14, true);
  const known = ENCODINGS.get(tag);
  if (!known) throw new WavError(`format ${tag} is not supported`);
  if (!known.bits.includes(bitsPerSample)) {
    throw new WavError(`${known.encoding} of ${bitsPerSample} bits is not supported`);
  }
  if (channels < 1) throw new WavError('a format with no channel');
  if (sampleRateHz < 1) throw new WavError('a sample rate of 0');
  const blockBytes = channels * (bitsPerSample / 8);
  return { encoding: known.encoding, channels, sampleRateHz, bitsPerSample, blockBytes };
}

const UNKNOWN_BYTES = 0xffff_ffff;
export const WAV_HEADER_BYTES = 44;

/**
 * Returns the 44-byte header of 16-bit PCM. Without `dataBytes`, it is the header of a stream of unknown
 * length.
 */
export function buildWavHeader(options: {
  sampleRateHz: number;
  channels?: number;
  dataBytes?: number;
}): Uint8Array {
  const { sampleRateHz, channels = 1, dataBytes } = options;
  if (dataBytes !== undefined && dataBytes > UNKNOWN_BYTES - WAV_HEADER_BYTES) {
    throw new RangeError(`a WAV file cannot have ${dataBytes} bytes`);
  }
  const header = new Uint8Array(WAV_HEADER_BYTES);
  const view = new DataView(header.buffer);
  const blockBytes = channels * 2;
  header.set(Buffer.from('RIFF'), 0);
  view.setUint32(4, dataBytes === undefined ? UNKNOWN_BYTES : WAV_HEADER_BYTES - 8 + dataBytes, true);
  header.set(Buffer.from('WAVEfmt '), 8);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * blockBytes, true);
  view.setUint16(32, blockBytes, true);
  view.setUint16(34, 16, true);
  header.set(Buffer.from('data'), 36);
  view.setUint32(40, dataBytes ?? UNKNOWN_BYTES, true);
  return header;
}
