import {
  SUPERVISION_EVENTS,
  WARM_TRANSFER_EVENTS,
  type CallLogEntryBody,
} from '@calls/api-contract/bus/call-log-entry';
import type { CallEventMessage, ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { msToDuration } from '@calls/api-contract/duration';
import type { Severity } from '@calls/api-contract/rest/enums';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { plainText } from '../transcript/plain-text.ts';
import type { SessionMetrics } from './services.ts';
import { EventRateLimit } from './event-rate-limit.ts';

export interface CallEventsOptions {
  stageId: () => string;
  clock: Clock;
  callTimeMs: () => number;
  emit: (body: CallLogEntryBody) => void;
  send: (message: ServerMessage) => void;
  metrics: SessionMetrics;
  log: Logger;
}

/** Minimum interval between overflow or underflow warnings of one call. */
const WARNING_INTERVAL_MS = 10_000;
/** Event types without a rate limit: all of them must be recorded, and their causes are limited. */
const UNLIMITED = new Set<string>(['speech_dismissed', ...SUPERVISION_EVENTS, ...WARM_TRANSFER_EVENTS]);
/** Length limit of the text of one event. */
const MAX_TEXT_CHARS = 4096;
const MAX_ERROR_CHARS = 500;

/** Emits the call events of one call: stored with the call and sent live to clients that subscribe. */
export class CallEvents {
  readonly #options: CallEventsOptions;
  readonly #overflow: WarningThrottle;
  readonly #underflow: WarningThrottle;
  readonly #limit = new EventRateLimit();
  #closed = false;

  constructor(options: CallEventsOptions) {
    this.#options = options;
    this.#overflow = new WarningThrottle((totalMs) =>
      this.add('warning', 'audio_overflow', 'Audio arrived faster than real time; the excess was dropped.', {
        droppedMs: Math.round(totalMs),
      }),
    );
    this.#underflow = new WarningThrottle((totalMs) =>
      this.add(
        'warning',
        'audio_underflow',
        'Audio arrived slower than real time; silence was substituted.',
        {
          missingMs: Math.round(totalMs),
        },
      ),
    );
  }

  add(severity: Severity, eventType: string, message: string, details: Record<string, unknown> | null): void {
    const event = this.#emit(severity, eventType, message, details);
    if (event) this.#options.send({ type: 'call_event', ...event });
  }

  /** Records an event that is not sent to clients. */
  record(severity: Severity, eventType: string, message: string, details: Record<string, unknown>): void {
    this.#emit(severity, eventType, message, details);
  }

  #emit(
    severity: Severity,
    eventType: string,
    message: string,
    details: Record<string, unknown> | null,
  ): Omit<CallEventMessage, 'type'> | null {
    if (this.#closed) return null;
    const isLimited = !UNLIMITED.has(eventType);
    const omitted = isLimited ? this.#limit.take(eventType, this.#options.clock.nowMs()) : 0;
    if (omitted === null) return null;
    const extras = omitted > 0 ? { ...details, omitted } : details;
    const text = plainText(message, MAX_TEXT_CHARS);
    const { stageId, emit, callTimeMs } = this.#options;
    const callTimestampMs = callTimeMs();
    emit({ type: 'noted', stageId: stageId(), callTimestampMs, severity, eventType, text, extras });
    return { callTimestamp: msToDuration(callTimestampMs), severity, eventType, text, extras };
  }

  /** Records an error in one component; the call continues. */
  addError(component: string, error: Error): void {
    this.#options.metrics.error();
    this.#options.log.warn({ component, err: error }, 'call component failed');
    this.add('warning', `${component}_error`, error.message.slice(0, MAX_ERROR_CHARS), {
      code: codeOf(error),
    });
  }

  /** Ignores all later events. */
  close(): void {
    this.#closed = true;
  }

  overflow(droppedMs: number): void {
    this.#overflow.add(droppedMs, this.#options.clock.nowMs());
  }

  underflow(missingMs: number): void {
    this.#underflow.add(missingMs, this.#options.clock.nowMs());
  }
}

/** Code of an error in `extras` of its event. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'internal';
}

/** Reports the first occurrence at once and then at most one total per WARNING_INTERVAL_MS. */
class WarningThrottle {
  readonly #report: (totalMs: number) => void;
  #lastReportMs = Number.NEGATIVE_INFINITY;
  #totalMs = 0;

  constructor(report: (totalMs: number) => void) {
    this.#report = report;
  }

  add(durationMs: number, nowMs: number): void {
    this.#totalMs += durationMs;
    if (nowMs - this.#lastReportMs < WARNING_INTERVAL_MS) return;
    this.#lastReportMs = nowMs;
    const totalMs = this.#totalMs;
    this.#totalMs = 0;
    this.#report(totalMs);
  }
}
