import type { CallEventBody } from '@calls/api-contract/bus/call-events';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { msToDuration } from '@calls/api-contract/duration';
import type { Severity } from '@calls/api-contract/rest/enums';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { plainText } from '../transcript/plain-text.ts';
import type { SessionMetrics } from './services.ts';
import { EventRateLimit } from './event-rate-limit.ts';
import { WarningThrottle } from './warning-throttle.ts';

export interface CallEventsOptions {
  stageId: () => string;
  clock: Clock;
  callTimeMs: () => number;
  emit: (body: CallEventBody) => void;
  send: (message: ServerMessage) => void;
  metrics: SessionMetrics;
  log: Logger;
}

/** Overflow and underflow warnings of one call come at most this often. */
const WARNING_INTERVAL_MS = 10_000;
/** The length of speech bounds how many of these come: each utterance has at most one, and none may be missing. */
const UNLIMITED = new Set(['speech_dismissed']);
/** Of one event. */
const MAX_TEXT_CHARS = 4096;
const MAX_FAULT_CHARS = 500;

/** The call events of one call: what is worth knowing afterwards, and live for clients that ask for it. */
export class CallEvents {
  readonly #options: CallEventsOptions;
  readonly #overflow: WarningThrottle;
  readonly #underflow: WarningThrottle;
  readonly #limit = new EventRateLimit();
  #closed = false;

  constructor(options: CallEventsOptions) {
    this.#options = options;
    this.#overflow = new WarningThrottle(WARNING_INTERVAL_MS, (totalMs) =>
      this.add('warning', 'audio_overflow', 'Audio came faster than real time; the excess was dropped.', {
        droppedMs: Math.round(totalMs),
      }),
    );
    this.#underflow = new WarningThrottle(WARNING_INTERVAL_MS, (totalMs) =>
      this.add('warning', 'audio_underflow', 'Audio came slower than real time; silence took its place.', {
        missingMs: Math.round(totalMs),
      }),
    );
  }

  add(severity: Severity, eventType: string, what: string, given: Record<string, unknown> | null): void {
    if (this.#closed) return;
    const isLimited = !UNLIMITED.has(eventType);
    const omitted = isLimited ? this.#limit.take(eventType, this.#options.clock.nowMs()) : 0;
    if (omitted === null) return;
    const extras = omitted > 0 ? { ...given, omitted } : given;
    const text = plainText(what, MAX_TEXT_CHARS);
    const { stageId, emit, send, callTimeMs } = this.#options;
    const callTimestampMs = callTimeMs();
    emit({ type: 'noted', stageId: stageId(), callTimestampMs, severity, eventType, text, extras });
    send({
      type: 'call_event',
      callTimestamp: msToDuration(callTimestampMs),
      severity,
      eventType,
      text,
      extras,
    });
  }

  /** A part of the call failed; the call goes on. */
  addError(part: string, fault: Error): void {
    this.#options.metrics.error();
    this.#options.log.warn({ part, err: fault }, 'fault in a call');
    const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : 'internal';
    this.add('warning', `${part}_fault`, fault.message.slice(0, MAX_FAULT_CHARS), { code });
  }

  /** The call has its last event: nothing is noted any more. */
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
