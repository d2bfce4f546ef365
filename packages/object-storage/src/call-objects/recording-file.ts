import { msFromSamples } from '@calls/audio/pcm';
import { buildWavHeader, WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import {
  RECORDING_CHANNELS,
  RECORDING_SAMPLE_RATE_HZ,
  type StoredRecording,
} from '@calls/conversation/ports/recordings';
import type { ObjectWriter } from '../object-storage.ts';
import { finishOnError } from './finish-object.ts';

/** The samples of all channels at one time. */
const BLOCK_BYTES = RECORDING_CHANNELS * 2;
const LARGEST_DATA_BYTES = 0xffff_ffff - WAV_HEADER_BYTES;
const FILL_BYTES = 1024 * 1024;
const FORMAT = { sampleRateHz: RECORDING_SAMPLE_RATE_HZ, channels: RECORDING_CHANNELS };

/**
 * Prepares the file so that the next audio starts `fromMs` after the beginning: writes a header if the file is
 * empty and fills gaps with silence. The header states no length, so that the file is valid after a crash.
 */
export async function beginRecording(writer: ObjectWriter, fromMs: number): Promise<ObjectWriter> {
  return finishOnError(writer, async () => {
    if (writer.bytes === 0) await writer.write(buildWavHeader(FORMAT));
    const until = WAV_HEADER_BYTES + Math.round((fromMs * RECORDING_SAMPLE_RATE_HZ) / 1000) * BLOCK_BYTES;
    await fill(writer, Math.max(until - writer.bytes, missingOfBlock(writer)));
    return writer;
  });
}

/** A crash may have truncated the last block. */
function missingOfBlock(writer: ObjectWriter): number {
  const cut = (writer.bytes - WAV_HEADER_BYTES) % BLOCK_BYTES;
  return cut > 0 ? BLOCK_BYTES - cut : 0;
}

async function fill(writer: ObjectWriter, bytes: number): Promise<void> {
  const silence = new Uint8Array(Math.max(0, Math.min(bytes, FILL_BYTES)));
  for (let left = bytes; left > 0; left -= silence.byteLength) await writer.write(silence.subarray(0, left));
}

/** Completes the recording: writes its length to the header. Null, and the object is removed, if it has no samples. */
export async function storeRecording(writer: ObjectWriter, key: string): Promise<StoredRecording | null> {
  const written = writer.bytes - WAV_HEADER_BYTES;
  if (written <= 0) {
    await writer.abort();
    return null;
  }
  await finishOnError(writer, () => fill(writer, missingOfBlock(writer)));
  const dataBytes = writer.bytes - WAV_HEADER_BYTES;
  const header = buildWavHeader(dataBytes > LARGEST_DATA_BYTES ? FORMAT : { ...FORMAT, dataBytes });
  const { bytes } = await writer.commit(header);
  return recordingOf(key, bytes);
}

/** Properties of a completed recording. */
export function recordingOf(key: string, bytes: number): StoredRecording {
  const blocks = (bytes - WAV_HEADER_BYTES) / BLOCK_BYTES;
  return { key, bytes, durationMs: Math.round(msFromSamples(blocks, RECORDING_SAMPLE_RATE_HZ)) };
}
