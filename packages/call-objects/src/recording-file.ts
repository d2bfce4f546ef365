import { buildWavHeader, msFromSamples, WAV_HEADER_BYTES } from '@calls/audio';
import { RECORDING_CHANNELS, RECORDING_SAMPLE_RATE_HZ, type StoredRecording } from '@calls/conversation';
import type { ObjectWriter } from '@calls/object-storage';

/** All channels' samples of one instant. */
const BLOCK_BYTES = RECORDING_CHANNELS * 2;
const LARGEST_DATA_BYTES = 0xffff_ffff - WAV_HEADER_BYTES;
const FORMAT = { sampleRateHz: RECORDING_SAMPLE_RATE_HZ, channels: RECORDING_CHANNELS };

/** How a recording begins while it is written: it tells no length, so that what a crash leaves is still a WAV file. */
export function openRecordingHeader(): Uint8Array {
  return buildWavHeader(FORMAT);
}

/**
 * Makes what was written of a recording, by whoever, the whole recording, with its length in its header. Null, and nothing
 * is left, where not a sample was written.
 */
export async function storeRecording(writer: ObjectWriter, key: string): Promise<StoredRecording | null> {
  const written = writer.bytes - WAV_HEADER_BYTES;
  if (written <= 0) {
    await writer.abort();
    return null;
  }
  // A crash may have cut the last block.
  const cut = written % BLOCK_BYTES;
  if (cut > 0) await writer.write(new Uint8Array(BLOCK_BYTES - cut));
  const dataBytes = writer.bytes - WAV_HEADER_BYTES;
  const header = buildWavHeader(dataBytes > LARGEST_DATA_BYTES ? FORMAT : { ...FORMAT, dataBytes });
  const { bytes } = await writer.commit(header);
  return recordingOf(key, bytes);
}

/** What is to be known of a recording that is whole. */
export function recordingOf(key: string, bytes: number): StoredRecording {
  const blocks = (bytes - WAV_HEADER_BYTES) / BLOCK_BYTES;
  return { key, bytes, durationMs: Math.round(msFromSamples(blocks, RECORDING_SAMPLE_RATE_HZ)) };
}
