import { recordingKey } from '@calls/api-contract/call-objects';
import type {
  CallRef,
  RecordingSink,
  RecordingStore,
  StoredRecording,
} from '@calls/conversation/ports/recordings';
import type { Clock } from '@calls/foundation/clock';
import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage, ObjectWriter } from '../object-storage.ts';
import { resumeNewest } from './finish-object.ts';
import { beginRecording, storeRecording } from './recording-file.ts';
import { StreamedObject } from './streamed-object.ts';

/** About 16 s of audio. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface WavRecordingsOptions {
  storage: ObjectStorage;
  clock: Clock;
  log: Logger;
  /** See StreamedObjectOptions; false if absent. */
  isDeferred?: () => boolean;
}

/** Stores recordings as WAV files in the object storage during the calls. */
export class WavRecordings implements RecordingStore {
  readonly #options: WavRecordingsOptions;

  constructor(options: WavRecordingsOptions) {
    this.#options = options;
  }

  open(call: CallRef, onError: (error: Error) => void): RecordingSink {
    const { storage } = this.#options;
    return this.#sink(call, onError, async () => beginRecording(await storage.create(recordingKey(call)), 0));
  }

  resume(call: CallRef, fromMs: number, onError: (error: Error) => void): RecordingSink {
    const { storage } = this.#options;
    const key = recordingKey(call);
    return this.#sink(call, onError, async () => {
      const left = await resumeNewest(storage, key);
      return beginRecording(left ?? (await storage.create(key)), fromMs);
    });
  }

  async finish(call: CallRef): Promise<StoredRecording | null> {
    const { storage, log } = this.#options;
    const key = recordingKey(call);
    try {
      const left = await resumeNewest(storage, key);
      return left && (await storeRecording(left, key));
    } catch (thrown) {
      log.error({ callId: call.callId, err: toError(thrown) }, 'failed to finish recording');
      return null;
    }
  }

  #sink(call: CallRef, onError: (error: Error) => void, begin: () => Promise<ObjectWriter>): RecordingSink {
    const { storage, clock, log, isDeferred = () => false } = this.#options;
    const key = recordingKey(call);
    const object = new StreamedObject({
      storage,
      clock,
      key,
      begin,
      maxWaitingBytes: MAX_WAITING_BYTES,
      isDeferred,
      onError(error) {
        log.error({ callId: call.callId, err: error }, 'recording is incomplete');
        onError(errorForOwner(error));
      },
    });
    return {
      write: (pcm) => object.write(pcm),
      close: () => object.finish((writer) => storeRecording(writer, key)),
      suspend: () => object.leave(),
    };
  }
}

function errorForOwner(error: Error): AppError {
  const code = error instanceof AppError ? error.code : 'internal';
  const reason = REASONS[code] ?? 'it could not be stored';
  return new AppError(code, `The recording is incomplete: ${reason}.`, { cause: error });
}

/** Error messages for the owner of the call, by error code. */
const REASONS: Record<string, string | undefined> = {
  storage_full: 'the storage is full',
  storage_failed: 'the storage failed',
  storage_slow: 'the storage is too slow',
  timeout: 'the storage is too slow',
};
