/** Waveform data: for each channel the peak of every 10 ms, 0 to 255. */
export interface Peaks {
  readonly user: Uint8Array;
  readonly agent: Uint8Array;
  /** Number of known peaks. */
  readonly filled: number;
}

const PEAK_MS = 10;
const CHANNELS = 2;
const SAMPLE_BYTES = 2;
const BLOCK_BYTES = CHANNELS * SAMPLE_BYTES;
/** Header size of call recordings. */
export const HEADER_BYTES = 44;
const PEAK_SHIFT = 7;
const MAX_PEAK = 255;

/** The format of a recording of `bytes` bytes, including its header. Throws unless it is 16-bit stereo PCM. */
export function readFormat(
  header: ArrayBuffer,
  totalBytes: number,
): { sampleRateHz: number; blocks: number } {
  const view = new DataView(header);
  const isWav = header.byteLength >= HEADER_BYTES && view.getUint32(0) === 0x52494646;
  if (!isWav || view.getUint16(22, true) !== CHANNELS || view.getUint16(34, true) !== 8 * SAMPLE_BYTES) {
    throw new Error('The format of the recording is not supported.');
  }
  const blocks = Math.max(0, Math.floor((totalBytes - HEADER_BYTES) / BLOCK_BYTES));
  return { sampleRateHz: view.getUint32(24, true), blocks };
}

/** Computes peaks from the samples of a recording, block by block, without retaining the samples. */
export class PeakBuilder implements Peaks {
  readonly user: Uint8Array;
  readonly agent: Uint8Array;
  readonly durationMs: number;
  readonly #blocksPerPeak: number;
  #blocks = 0;

  constructor({ sampleRateHz, blocks }: { sampleRateHz: number; blocks: number }) {
    this.#blocksPerPeak = Math.max(1, Math.round((sampleRateHz * PEAK_MS) / 1000));
    const count = Math.ceil(blocks / this.#blocksPerPeak);
    this.user = new Uint8Array(count);
    this.agent = new Uint8Array(count);
    this.durationMs = (blocks / sampleRateHz) * 1000;
  }

  get filled(): number {
    return Math.min(this.user.length, Math.ceil(this.#blocks / this.#blocksPerPeak));
  }

  /** Adds interleaved samples of user and agent: whole blocks, in order. */
  add(samples: Int16Array): void {
    const length = samples.length - (samples.length % CHANNELS);
    for (let at = 0; at < length;) {
      const index = Math.floor(this.#blocks / this.#blocksPerPeak);
      const blocksLeft = (index + 1) * this.#blocksPerPeak - this.#blocks;
      const end = Math.min(length, at + blocksLeft * CHANNELS);
      raise(this.user, index, loudestOf(samples, at, end));
      raise(this.agent, index, loudestOf(samples, at + 1, end));
      this.#blocks += (end - at) / CHANNELS;
      at = end;
    }
  }
}

/** Peak of one channel. Its samples start at `from`. */
function loudestOf(samples: Int16Array, from: number, end: number): number {
  let most = 0;
  for (let at = from; at < end; at += CHANNELS) {
    const sample = samples[at] ?? 0;
    if (sample > most) most = sample;
    else if (-sample > most) most = -sample;
  }
  return most;
}

function raise(peaks: Uint8Array, index: number, loud: number): void {
  const peak = Math.min(MAX_PEAK, loud >> PEAK_SHIFT);
  if (peak > (peaks[index] ?? MAX_PEAK)) peaks[index] = peak;
}

/** Peak between two times, 0 to 1. */
export function peakBetween(peaks: Uint8Array, fromMs: number, toMs: number): number {
  const first = Math.max(0, Math.floor(fromMs / PEAK_MS));
  const end = Math.min(peaks.length, Math.max(first + 1, Math.ceil(toMs / PEAK_MS)));
  let most = 0;
  for (let index = first; index < end; index += 1) most = Math.max(most, peaks[index] ?? 0);
  return most / MAX_PEAK;
}
