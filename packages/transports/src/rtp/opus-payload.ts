import type { RtpAudioCodec } from './playout.ts';

const CLOCK_RATE_HZ = 48_000;
const MAX_PACKET_SAMPLES = (CLOCK_RATE_HZ * 120) / 1000;
const SILK_FRAME_SAMPLES = [480, 960, 1920, 2880];
const CELT_FRAME_SAMPLES = [120, 240, 480, 960];
const FIRST_HYBRID_CONFIG = 12;
const FIRST_CELT_CONFIG = 16;

/** Opus in RTP (RFC 7587): the timestamp clock is always 48 kHz. */
export const OPUS: RtpAudioCodec = {
  clockRateHz: CLOCK_RATE_HZ,
  durationOf: opusDuration,
  carriesPrevious: opusCarriesPrevious,
};

/** Samples at 48 kHz in an Opus packet (RFC 6716, 3.1); null if it is malformed. */
function opusDuration(payload: Uint8Array): number | null {
  const [toc] = payload;
  if (toc === undefined) return null;
  const frames = frameCount(payload);
  const samples = frames * frameSamples(toc);
  return frames > 0 && samples <= MAX_PACKET_SAMPLES ? samples : null;
}

function frameCount(payload: Uint8Array): number {
  switch ((payload[0] ?? 0) & 3) {
    case 0:
      return 1;
    case 3:
      return (payload[1] ?? 0) & 0x3f;
    default:
      return 2;
  }
}

function frameSamples(toc: number): number {
  const config = toc >> 3;
  const samples =
    config < FIRST_HYBRID_CONFIG
      ? SILK_FRAME_SAMPLES[config & 3]
      : config < FIRST_CELT_CONFIG
        ? SILK_FRAME_SAMPLES[config & 1]
        : CELT_FRAME_SAMPLES[config & 3];
  return samples ?? 0;
}

/**
 * Whether the first frame has its low-bitrate redundancy flag set (RFC 6716, 4.2.3 and 4.2.4): one voice activity bit per
 * 20 ms of SILK, then the flag.
 */
function opusCarriesPrevious(payload: Uint8Array): boolean {
  const [toc] = payload;
  if (toc === undefined || toc >> 3 >= FIRST_CELT_CONFIG) return false;
  const start = firstFrameStart(payload);
  if (start === null) return false;
  const flags = payload[start] ?? 0;
  const silkFrames = Math.max(1, frameSamples(toc) / 960);
  const isStereo = (toc & 4) !== 0;
  const inMid = (flags >> (7 - silkFrames)) & 1;
  const inSide = isStereo ? (flags >> (6 - 2 * silkFrames)) & 1 : 0;
  return inMid + inSide > 0;
}

/** Offset of the first frame; null if it is empty or the packet is truncated. */
function firstFrameStart(payload: Uint8Array): number | null {
  const code = (payload[0] ?? 0) & 3;
  let position = 1;
  if (code === 2) {
    const length = frameLengthAt(payload, position);
    return length.bytes === 0 ? null : within(payload, position + length.size);
  }
  if (code !== 3) return within(payload, position);
  const count = payload[1] ?? 0;
  position = 2;
  if ((count & 0x40) !== 0) {
    while (payload[position] === 255) position += 1;
    position += 1;
  }
  const isVbr = (count & 0x80) !== 0;
  for (let i = 0; isVbr && i < (count & 0x3f) - 1; i += 1) {
    const length = frameLengthAt(payload, position);
    if (i === 0 && length.bytes === 0) return null;
    position += length.size;
  }
  return within(payload, position);
}

function within(payload: Uint8Array, position: number): number | null {
  return position < payload.length ? position : null;
}

/** Length of a frame, encoded in one or two bytes. */
function frameLengthAt(payload: Uint8Array, position: number): { bytes: number; size: number } {
  const first = payload[position] ?? 0;
  if (first < 252) return { bytes: first, size: 1 };
  return { bytes: (payload[position + 1] ?? 0) * 4 + first, size: 2 };
}
