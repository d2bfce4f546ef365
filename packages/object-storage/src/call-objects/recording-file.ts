import { msFromSamples } from '@calls/audio/pcm';
import { buildWavHeader, WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import {
  RECORDING_CHANNELS,
  RECORDING_SAMPLE_RATE_HZ,
  type StoredRecording,
} from '@calls/conversation/ports/recordings';
import type { ObjectWriter } from '../object-storage.ts';
import { orLeave } from './unfinished-objects.ts';

/** All channels' samples of one instant. */
const BLOCK_BYTES = RECORDING_CHANNELS * 2;
const LARGEST_DATA_BYTES = 0xffff_ffff - WAV_HEADER_BYTES;
const FILL_BYTES = 1024 * 1024;
const FORMAT = { sampleRateHz: RECORDING_SAMPLE_RATE_HZ, channels: RECORDING_CHANNELS };

/**
 * Makes what comes next belong `fromMs` after the recording's beginning: a header where nothing is there yet, and silence in
 * place of what is missing. The header tells no length, so that what a crash leaves is still a WAV file.
 */
export async function beginRecording(writer: ObjectWriter, fromMs: number): Promise<ObjectWriter> {
  return orLeave(writer, async () => {
    if (writer.bytes === 0) await writer.write(buildWavHeader(FORMAT));
    const until = WAV_HEADER_BYTES + Math.round((fromMs * RECORDING_SAMPLE_RATE_HZ) / 1000) * BLOCK_BYTES;
    await fill(writer, Math.max(until - writer.bytes, missingOfBlock(writer)));
    return writer;
  });
}

/** A crash may have cut the last block. */
function missingOfBlock(writer: ObjectWriter): number {
  const cut = (writer.bytes - WAV_HEADER_BYTES) % BLOCK_BYTES;
  return cut > 0 ? BLOCK_BYTES - cut : 0;
}

async function fill(writer: ObjectWriter, bytes: number): Promise<void> {
  const silence = new Uint8Array(Math.max(0, Math.min(bytes, FILL_BYTES)));
  for (let left = bytes; left > 0; left -= silence.byteLength) await writer.write(silence.subarray(0, left));
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
  await orLeave(writer, () => fill(writer, missingOfBlock(writer)));
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
