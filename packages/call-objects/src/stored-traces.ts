import { traceKey } from '@calls/api-contract';
import type { CallTraces, TraceSink } from '@calls/conversation';
import type { Clock, Logger, Timer } from '@calls/foundation';
import type { ObjectStorage } from '@calls/object-storage';
import { StreamedObject } from './streamed-object.ts';

const MAX_WAITING_BYTES = 256 * 1024;
/** Lines are stored together, so often. */
const FLUSH_MS = 3000;

export interface StoredTracesOptions {
  storage: ObjectStorage;
  clock: Clock;
  log: Logger;
}

/** Keeps traces as lines of JSON in the object storage, written while the calls go on. */
export class StoredTraces implements CallTraces {
  readonly #options: StoredTracesOptions;

  constructor(options: StoredTracesOptions) {
    this.#options = options;
  }

  open(call: { accountId: string; callId: string }): TraceSink {
    const { storage, clock, log } = this.#options;
    const encoder = new TextEncoder();
    const object = new StreamedObject({
      storage,
      clock,
      key: traceKey(call),
      maxWaitingBytes: MAX_WAITING_BYTES,
      onFault: (err) => log.warn({ callId: call.callId, err }, 'a trace is incomplete'),
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
    };
  }
}
