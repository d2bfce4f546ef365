import {
  eventWithoutWords,
  type CallEventBody,
  type CallEventEnvelope,
  type CallSpec,
} from '@calls/api-contract';
import { delay, toError, type Clock, type Logger } from '@calls/foundation';

export interface CallEventWriterOptions {
  call: Pick<CallSpec, 'callId' | 'accountId' | 'retention'>;
  epoch: number;
  publish: (event: CallEventEnvelope) => Promise<void>;
  clock: Clock;
  log: Logger;
}

type WaitingEvent = Pick<CallEventEnvelope, 'wallClockMs' | 'body'>;

/** Events of one call that may wait for the bus; beyond it debug notes go first, then everything but the last event. */
const MAX_WAITING = 2000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 2000;

/**
 * Numbers the events of one call and sends them one after the other, each until the bus has it. `write` never waits and
 * never throws. Whatever leaves a call leaves it here: without words where they may reach no disk.
 */
export class CallEventWriter {
  readonly #options: CallEventWriterOptions;
  #waiting: WaitingEvent[] = [];
  #nextSeq = 1;
  #sending: Promise<void> | null = null;
  #dropped = 0;
  readonly #abandon = new AbortController();

  constructor(options: CallEventWriterOptions) {
    this.#options = options;
  }

  /** `wallClockMs`: when it happened, where that was before now. */
  write(body: CallEventBody, wallClockMs = this.#options.clock.wallMs()): void {
    if (this.#waiting.length >= MAX_WAITING && !this.#makeRoom(body)) return;
    const kept = this.#options.call.retention === 'zdr' ? eventWithoutWords(body) : body;
    this.#waiting.push({ body: kept, wallClockMs });
    this.#sending ??= this.#send();
  }

  /** Resolves when everything written so far is with the bus, or given up. */
  async flushed(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  /** Gives up what the bus has not taken yet. */
  abandon(): void {
    this.#abandon.abort(new Error('events given up'));
  }

  async #send(): Promise<void> {
    const { epoch, log } = this.#options;
    const { callId, accountId } = this.#options.call;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const event = { callId, accountId, seq: this.#nextSeq, epoch, ...next };
      this.#nextSeq += 1;
      if (!(await this.#publish(event))) {
        log.error(
          { callId, seq: event.seq, lost: this.#waiting.length + 1 },
          'events of a call were given up',
        );
        this.#waiting = [];
      }
    }
    this.#sending = null;
  }

  /** False where it was given up. */
  async #publish(event: CallEventEnvelope): Promise<boolean> {
    const { publish, clock, log } = this.#options;
    const { callId } = this.#options.call;
    for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS)) {
      try {
        await publish(event);
        return true;
      } catch (thrown) {
        log.warn(
          { callId, seq: event.seq, err: toError(thrown) },
          'the bus did not take an event, trying again',
        );
        try {
          await delay(clock, pauseMs, this.#abandon.signal);
        } catch {
          return false;
        }
      }
    }
  }

  #makeRoom(body: CallEventBody): boolean {
    this.#dropped += 1;
    if (this.#dropped === 1)
      this.#options.log.error({ callId: this.#options.call.callId }, 'events of a call are dropped');
    const expendable = this.#waiting.findIndex((waiting) => waiting.body.type === 'noted');
    if (expendable >= 0) {
      this.#waiting.splice(expendable, 1);
      return true;
    }
    return body.type === 'ended';
  }
}
