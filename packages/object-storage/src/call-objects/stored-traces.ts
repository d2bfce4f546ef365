import { traceKey } from '@calls/api-contract/call-objects';
import type { CallTraces, TraceSink } from '@calls/conversation/ports/call-traces';
import type { CallRef } from '@calls/conversation/ports/recordings';
import type { Clock, Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage, ObjectWriter } from '../object-storage.ts';
import { finishOnError, resumeNewest } from './finish-object.ts';
import { StreamedObject } from './streamed-object.ts';

const MAX_WAITING_BYTES = 256 * 1024;
/** Interval at which lines are stored in batches. */
const FLUSH_MS = 3000;
const LINE_END = new TextEncoder().encode('\n');

export interface StoredTracesOptions {
  storage: ObjectStorage;
  clock: Clock;
  log: Logger;
  /** While true, new calls get no trace, and others are written in larger pieces; false if absent. */
  isDeferred?: () => boolean;
}

const NO_TRACE: TraceSink = {
  write: () => undefined,
  close: () => Promise.resolve(),
  suspend: () => Promise.resolve(),
};

/** Stores traces as JSON lines in the object storage during the calls. */
export class StoredTraces implements CallTraces {
  readonly #options: StoredTracesOptions;

  constructor(options: StoredTracesOptions) {
    this.#options = options;
  }

  open(call: CallRef): TraceSink {
    if (this.#options.isDeferred?.()) return NO_TRACE;
    return this.#sink(call, () => this.#options.storage.create(traceKey(call)));
  }

  resume(call: CallRef): TraceSink {
    const { storage } = this.#options;
    const key = traceKey(call);
    return this.#sink(call, async () => {
      const writer = await resumeNewest(storage, key);
      // A crash may have truncated the last line.
      if (writer) await finishOnError(writer, () => writer.write(LINE_END));
      return writer ?? storage.create(key);
    });
  }

  async finish(call: CallRef): Promise<void> {
    const { storage, log } = this.#options;
    try {
      await (await resumeNewest(storage, traceKey(call)))?.commit();
    } catch (thrown) {
      log.warn({ callId: call.callId, err: toError(thrown) }, 'failed to finish trace');
    }
  }

  #sink(call: CallRef, begin: () => Promise<ObjectWriter>): TraceSink {
    const { storage, clock, log, isDeferred = () => false } = this.#options;
    const encoder = new TextEncoder();
    const object = new StreamedObject({
      storage,
      clock,
      key: traceKey(call),
      begin,
      maxWaitingBytes: MAX_WAITING_BYTES,
      isDeferred,
      onError: (err) => log.warn({ callId: call.callId, err }, 'trace is incomplete'),
    });
    let waiting: string[] = [];
    let timer: Timer | null = null;
    const flush = (): void => {
      timer?.cancel();
      timer = null;
      if (waiting.length === 0) return;
      object.write(encoder.encode(`${waiting.join('\n')}\n`));
      waiting = [];
    };
    return {
      write(line) {
        waiting.push(line);
        timer ??= clock.setTimer(FLUSH_MS, flush);
      },
      async close() {
        flush();
        await object.finish((writer) => writer.commit());
      },
      async suspend() {
        flush();
        await object.leave();
      },
    };
  }
}
