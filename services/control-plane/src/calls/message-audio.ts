import { durationToMs } from '@calls/api-contract/duration';
import type { Message } from '@calls/api-contract/rest/message';
import { buildWavHeader, readWavHeader, WAV_HEADER_BYTES, type WavFormat } from '@calls/audio/wav-header';
import type { ObjectStorage, StoredObject } from '@calls/object-storage/object-storage';

/** Channels of a recording. */
const USER = 0;
const AGENT = 1;
const SAMPLE_BYTES = 2;

/**
 * Returns the audio of a spoken message as a mono WAV file: its timespan on the channel of its speaker. Null if the
 * recording does not contain it.
 */
export async function openMessageAudio(
  storage: ObjectStorage,
  recordingKey: string,
  message: Message,
): Promise<StoredObject | null> {
  const channel = channelOf(message);
  const { start, end } = message.timespan ?? {};
  if (channel === null || start === undefined || end === undefined) return null;
  const format = await formatOf(storage, recordingKey);
  const recording = format && (await storage.open(recordingKey));
  if (!recording) return null;
  const blockAt = (time: string): number => Math.round((durationToMs(time) / 1000) * format.sampleRateHz);
  const recorded = Math.floor((recording.bytes - WAV_HEADER_BYTES) / format.blockBytes);
  const from = Math.min(blockAt(start), recorded);
  const blocks = Math.min(blockAt(end), recorded) - from;
  if (blocks > 0) return new MessageAudio(recording, { format, channel, from, blocks });
  await recording[Symbol.asyncDispose]();
  return null;
}

function channelOf({ role, medium }: Message): number | null {
  if (medium !== 'MESSAGE_MEDIUM_VOICE') return null;
  if (role === 'MESSAGE_ROLE_USER') return USER;
  return role === 'MESSAGE_ROLE_AGENT' ? AGENT : null;
}

async function formatOf(storage: ObjectStorage, key: string): Promise<WavFormat | null> {
  const recording = await storage.open(key);
  if (!recording) return null;
  const head: Uint8Array[] = [];
  for await (const chunk of recording.read(0, Math.min(WAV_HEADER_BYTES, recording.bytes))) head.push(chunk);
  return readWavHeader(Buffer.concat(head))?.format ?? null;
}

interface Cut {
  format: WavFormat;
  channel: number;
  /** Counted in blocks; a block has one sample of each channel. */
  from: number;
  blocks: number;
}

class MessageAudio implements StoredObject {
  readonly bytes: number;
  readonly #recording: StoredObject;
  readonly #cut: Cut;

  constructor(recording: StoredObject, cut: Cut) {
    this.bytes = WAV_HEADER_BYTES + cut.blocks * SAMPLE_BYTES;
    this.#recording = recording;
    this.#cut = cut;
  }

  async *read(start = 0, end = this.bytes): AsyncGenerator<Uint8Array> {
    let position = 0;
    for await (const piece of this.#pieces()) {
      const part = piece.subarray(Math.max(0, start - position), Math.max(0, end - position));
      if (part.byteLength > 0) yield part;
      position += piece.byteLength;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#recording[Symbol.asyncDispose]());
  }

  async *#pieces(): AsyncGenerator<Uint8Array> {
    const { format, channel, from, blocks } = this.#cut;
    yield buildWavHeader({ sampleRateHz: format.sampleRateHz, dataBytes: blocks * SAMPLE_BYTES });
    const startByte = WAV_HEADER_BYTES + from * format.blockBytes;
    let rest: Uint8Array = new Uint8Array();
    for await (const chunk of this.#recording.read(startByte, startByte + blocks * format.blockBytes)) {
      const bytes = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = bytes.byteLength - (bytes.byteLength % format.blockBytes);
      yield channelBytes(bytes.subarray(0, whole), format.blockBytes, channel);
      rest = bytes.subarray(whole);
    }
  }
}

/** Extracts one channel from whole blocks. */
function channelBytes(blocks: Uint8Array, blockBytes: number, channel: number): Uint8Array {
  const samples = new Uint8Array((blocks.byteLength / blockBytes) * SAMPLE_BYTES);
  for (let from = channel * SAMPLE_BYTES, to = 0; to < samples.byteLength; from += blockBytes, to += 2) {
    samples[to] = blocks[from] ?? 0;
    samples[to + 1] = blocks[from + 1] ?? 0;
  }
  return samples;
}
