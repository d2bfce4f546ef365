/** The first bytes of compressed audio, other than those of an MP3 file without tags. */
const SIGNATURES: Readonly<Record<string, string>> = { ID3: 'MP3', OggS: 'Ogg', fLaC: 'FLAC' };

/** kbit/s of MP3 frames, by the index in their header. */
const BIT_RATES = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000];
const HEADER_BYTES = 4;

/**
 * The format of audio that starts with these bytes, if it is compressed; undefined if it is not. Null if only more
 * bytes can tell: samples may start like an MP3 frame, but no second frame follows.
 */
export function compressedFormat(bytes: Buffer): string | null | undefined {
  if (bytes.length < HEADER_BYTES) return null;
  const start = bytes.toString('latin1', 0, HEADER_BYTES);
  const signature = Object.keys(SIGNATURES).find((each) => start.startsWith(each));
  if (signature !== undefined) return SIGNATURES[signature];
  const length = mp3FrameBytes(bytes);
  if (length === undefined) return undefined;
  const next = bytes.subarray(length, length + HEADER_BYTES);
  if (next.length < HEADER_BYTES) return null;
  return mp3FrameBytes(next) === undefined ? undefined : 'MP3';
}

/** The length of the MP3 frame with this header; undefined if it is none. */
function mp3FrameBytes(header: Buffer): number | undefined {
  const [first = 0, second = 0, third = 0] = header;
  const version = (second >> 3) & 3;
  const isLayer3 = (second & 0b110) === 0b010;
  if (first !== 0xff || second < 0xe0 || version === 1 || !isLayer3) return undefined;
  const isMpeg1 = version === 3;
  const kbits = BIT_RATES[isMpeg1 ? 'mpeg1' : 'mpeg2'][third >> 4] ?? 0;
  const rateHz = (SAMPLE_RATES_HZ[(third >> 2) & 3] ?? 0) / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  if (kbits === 0 || rateHz === 0) return undefined;
  const padding = (third >> 1) & 1;
  return Math.floor(((isMpeg1 ? 144 : 72) * kbits * 1000) / rateHz) + padding;
}
