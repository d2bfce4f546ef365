import type { CallLogEntryBody, CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import { eventWithoutContent } from '@calls/api-contract/bus/without-content';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { CallLogMovedError } from '@calls/bus/bus-error';
import type { CallLogs, StoredCallLogEntry } from '@calls/bus/call-log';
import type { EventOfCall, Seal } from '@calls/bus/call-seal';
import { delay, type Clock } from '@calls/foundation/clock';
import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';

/** The end of a call's log. */
export interface LogEnd {
  seq: number;
  position: number;
}

export interface CallLogWriterOptions {
  call: Pick<CallSpec, 'callId' | 'accountId' | 'retention'>;
  epoch: number;
  /** The known end of the log; null if it is empty. */
  after: LogEnd | null;
  callLogs: Pick<CallLogs, 'append' | 'last'>;
  /** Seals data that has to be stored even for calls with zero retention. */
  eventSeal: Seal<EventOfCall>;
  clock: Clock;
  log: Logger;
  /** Called once, when a later owner of the call has written to its log. Nothing is written here afterwards. */
  onFenced: () => void;
}

type WaitingEvent = Pick<CallLogEntry, 'wallClockMs' | 'body'>;

/** Maximum number of waiting entries per call. Beyond it debug notes are dropped first, then all but the final entry. */
const MAX_WAITING = 2000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 2000;

/**
 * Numbers the entries of one call and appends them to its log in order, retrying each until it is stored. `write` never
 * waits and never throws. For calls with zero retention, entries are redacted here.
 */
export class CallLogWriter {
  readonly #options: CallLogWriterOptions;
  #waiting: WaitingEvent[] = [];
  #end: LogEnd;
  #sending: Promise<void> | null = null;
  #dropped = 0;
  #fenced = false;
  readonly #abandon = new AbortController();

  constructor(options: CallLogWriterOptions) {
    this.#options = options;
    this.#end = options.after ?? { seq: 0, position: 0 };
  }

  /** `wallClockMs`: the time of the event, if it was earlier. */
  write(body: CallLogEntryBody, wallClockMs = this.#options.clock.wallMs()): void {
    if (this.#fenced) return;
    if (this.#waiting.length >= MAX_WAITING && !this.#makeRoom(body)) return;
    this.#waiting.push({ body: this.#redacted(body), wallClockMs });
    this.#sending ??= this.#send();
  }

  #redacted(body: CallLogEntryBody): CallLogEntryBody {
    const { call, eventSeal } = this.#options;
    if (call.retention !== 'zdr') return body;
    return eventSeal.seal({ callId: call.callId, body: eventWithoutContent(body) }).body;
  }

  /** Resolves when everything written so far is stored or dropped. */
  async flushed(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  /** Drops entries that are not stored yet. */
  abandon(): void {
    this.#abandon.abort(new Error('writing of the call log was abandoned'));
  }

  async #send(): Promise<void> {
    const { log } = this.#options;
    const { callId } = this.#options.call;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const outcome = await this.#append(next);
      if (outcome === 'written' || outcome === 'refused') continue;
      if (outcome === 'abandoned')
        log.error(
          { callId, entries: this.#waiting.length + 1 },
          'dropped call log entries that were not written before the stop',
        );
      this.#waiting = [];
      if (outcome === 'fenced') this.#fence();
    }
    this.#sending = null;
  }

  /** `refused`: the bus will never accept it. */
  async #append(next: WaitingEvent): Promise<'written' | 'refused' | 'abandoned' | 'fenced'> {
    const { callLogs, call, epoch, clock, log } = this.#options;
    const { callId, accountId } = call;
    for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS)) {
      const seq = this.#end.seq + 1;
      try {
        const event = { callId, accountId, seq, epoch, ...next };
        this.#end = { seq, position: await callLogs.append(event, this.#end.position) };
        return 'written';
      } catch (thrown) {
        const outcome = await this.#afterFailure(seq, next, thrown);
        if (outcome !== 'again') return outcome;
      }
      try {
        await delay(clock, pauseMs, this.#abandon.signal);
      } catch {
        return 'abandoned';
      }
      log.debug({ callId, seq }, 'retrying call log entry');
    }
  }

  async #afterFailure(
    seq: number,
    next: WaitingEvent,
    thrown: unknown,
  ): Promise<'again' | 'written' | 'refused' | 'fenced'> {
    const { callLogs, call, log } = this.#options;
    const { callId } = call;
    try {
      if (thrown instanceof CallLogMovedError) return this.#catchUp(seq, next, await callLogs.last(callId));
    } catch (again) {
      log.warn({ callId, seq, err: toError(again) }, 'failed to read call log; retrying');
      return 'again';
    }
    const err = toError(thrown);
    if (thrown instanceof AppError && !thrown.retryable) {
      log.error({ callId, seq, err }, 'dropped call log entry');
      return 'refused';
    }
    log.warn({ callId, seq, err }, 'failed to append call log entry; retrying');
    return 'again';
  }

  /** Handles a log that does not end at the expected position. */
  #catchUp(seq: number, next: WaitingEvent, last: StoredCallLogEntry | null): 'again' | 'written' | 'fenced' {
    const { epoch } = this.#options;
    if (last && last.event.epoch > epoch) return 'fenced';
    // An empty log means that the stream lost its data; the database has the earlier entries.
    this.#end = { seq: last?.event.seq ?? seq - 1, position: last?.position ?? 0 };
    // The entry was stored, but the acknowledgement was lost.
    if (last && isSame(last.event, { ...next, seq, epoch })) return 'written';
    // Nothing is written after the end of the call.
    return last?.event.body.type === 'ended' ? 'fenced' : 'again';
  }

  #fence(): void {
    if (this.#fenced) return;
    this.#fenced = true;
    const { call, epoch, log, onFenced } = this.#options;
    log.warn({ callId: call.callId, epoch }, 'lease lost: another worker owns the call');
    onFenced();
  }

  #makeRoom(body: CallLogEntryBody): boolean {
    this.#dropped += 1;
    if (this.#dropped === 1)
      this.#options.log.error({ callId: this.#options.call.callId }, 'call log queue full; dropping entries');
    const expendable = this.#waiting.findIndex((waiting) => waiting.body.type === 'noted');
    if (expendable >= 0) {
      this.#waiting.splice(expendable, 1);
      return true;
    }
    return body.type === 'ended';
  }
}

function isSame(
  stored: CallLogEntry,
  sent: Pick<CallLogEntry, 'seq' | 'epoch' | 'wallClockMs' | 'body'>,
): boolean {
  return (
    stored.seq === sent.seq &&
    stored.epoch === sent.epoch &&
    stored.wallClockMs === sent.wallClockMs &&
    stored.body.type === sent.body.type
  );
}
