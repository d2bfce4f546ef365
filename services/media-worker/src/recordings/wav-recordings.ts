import { buildWavHeader, msFromSamples, WAV_HEADER_BYTES } from '@calls/audio';
import {
  RECORDING_CHANNELS,
  RECORDING_SAMPLE_RATE_HZ,
  type RecordingSink,
  type RecordingStore,
  type StoredRecording,
} from '@calls/conversation';
import { AppError, toError, withTimeout, type Clock, type Logger } from '@calls/foundation';
import type { ObjectStorage, ObjectWriter } from '@calls/object-storage';

/** Audio that may wait for the storage: some 16 s. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** How long the end of a call may wait for the storage. */
const CLOSE_LIMIT_MS = 5000;
const BLOCK_BYTES = RECORDING_CHANNELS * 2;
const LARGEST_WAV_BYTES = 0xffff_ffff - WAV_HEADER_BYTES;
const FORMAT = { sampleRateHz: RECORDING_SAMPLE_RATE_HZ, channels: RECORDING_CHANNELS };

export interface WavRecordingsOptions {
  storage: ObjectStorage;
  clock: Clock;
  log: Logger;
}

/** Keeps recordings as WAV files in the object storage, written while the calls go on. */
export class WavRecordings implements RecordingStore {
  readonly #options: WavRecordingsOptions;

  constructor(options: WavRecordingsOptions) {
    this.#options = options;
  }

  open(call: { accountId: string; callId: string }, onFault: (fault: Error) => void): RecordingSink {
    const key = `recordings/${call.accountId}/${call.callId}.wav`;
    return new WavRecording({
      ...this.#options,
      log: this.#options.log.child({ callId: call.callId }),
      key,
      onFault,
    });
  }
}

interface WavRecordingOptions extends WavRecordingsOptions {
  key: string;
  onFault: (fault: Error) => void;
}

/**
 * One recording. Its header tells no length until the end, so that what a crash leaves is still a WAV file. The storage's
 * first fault, or more waiting audio than there is room for, is its end: what was stored by then is kept.
 */
class WavRecording implements RecordingSink {
  readonly #options: WavRecordingOptions;
  #waiting: Uint8Array[] = [buildWavHeader(FORMAT)];
  #waitingBytes = 0;
  #writer: ObjectWriter | null = null;
  #writing: Promise<void> | null;
  #failed = false;

  constructor(options: WavRecordingOptions) {
    this.#options = options;
    this.#writing = this.#write();
  }

  write(pcm: Uint8Array): void {
    if (this.#failed) return;
    if (this.#waitingBytes + pcm.byteLength > MAX_WAITING_BYTES) {
      this.#fail(new AppError('storage_slow', 'the storage is too slow'));
      return;
    }
    this.#waiting.push(pcm);
    this.#waitingBytes += pcm.byteLength;
    this.#writing ??= this.#write();
  }

  async close(): Promise<StoredRecording | null> {
    const { clock, storage, key } = this.#options;
    const storing = this.#store();
    try {
      return await withTimeout(clock, storing, CLOSE_LIMIT_MS, 'storing the recording');
    } catch (thrown) {
      this.#fail(toError(thrown));
      // Nobody would know of it.
      storing.then((stored) => stored && storage.delete(key)).catch(() => undefined);
      return null;
    }
  }

  async #write(): Promise<void> {
    // Whoever made this must have it in hand before anything can fail.
    await Promise.resolve();
    try {
      this.#writer ??= await this.#options.storage.create(this.#options.key);
      for (let chunk = this.#waiting.shift(); chunk; chunk = this.#waiting.shift()) {
        await this.#writer.write(chunk);
        this.#waitingBytes = this.#waiting.reduce((sum, { byteLength }) => sum + byteLength, 0);
      }
    } catch (thrown) {
      this.#fail(toError(thrown));
    }
    this.#writing = null;
  }

  async #store(): Promise<StoredRecording | null> {
    while (this.#writing) await this.#writing;
    const writer = this.#writer;
    if (!writer) return null;
    const dataBytes = writer.bytes - WAV_HEADER_BYTES;
    if (dataBytes <= 0) {
      await writer.abort();
      return null;
    }
    const header = buildWavHeader(dataBytes > LARGEST_WAV_BYTES ? FORMAT : { ...FORMAT, dataBytes });
    const { bytes } = await writer.commit(header);
    const durationMs = Math.round(msFromSamples(dataBytes / BLOCK_BYTES, RECORDING_SAMPLE_RATE_HZ));
    return { key: this.#options.key, bytes, durationMs };
  }

  #fail(fault: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#waiting = [];
    const { log, onFault } = this.#options;
    log.error({ err: fault }, 'a recording is incomplete');
    const code = fault instanceof AppError ? fault.code : 'internal';
    const why = REASONS[code] ?? 'it could not be stored';
    onFault(new AppError(code, `The recording is incomplete: ${why}.`, { cause: fault }));
  }
}

/** By code of the fault, for the owner of the call. */
const REASONS: Record<string, string | undefined> = {
  storage_full: 'the storage is full',
  storage_failed: 'the storage failed',
  storage_slow: 'the storage is too slow',
  timeout: 'the storage is too slow',
};
