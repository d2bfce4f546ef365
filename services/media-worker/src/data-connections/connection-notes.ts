import type { DataConnectionListener } from '@calls/conversation/ports/data-connection';
import type { Clock } from '@calls/foundation/clock';
import { asOutboundError } from '@calls/outbound-http/outbound-error';
import type { SocketEnd } from './data-socket.ts';

/** Minimum interval between reports of a frequent note. The first one is reported immediately. */
const REPORT_EVERY_MS = 10_000;
const MAX_TEXT_LENGTH = 500;

/** Call events about a data connection. */
export class ConnectionNotes {
  readonly #listener: DataConnectionListener;
  readonly #unwanted: Throttle;
  readonly #unknown: Throttle;
  readonly #overflow: Throttle;
  #connections = 0;
  #lostMessages = 0;
  #lostAudioBytes = 0;

  constructor(listener: DataConnectionListener, clock: Clock) {
    this.#listener = listener;
    this.#unwanted = new Throttle(clock);
    this.#unknown = new Throttle(clock);
    this.#overflow = new Throttle(clock);
  }

  connected(): void {
    this.#connections += 1;
    this.#listener.onNote('info', 'data_connection_connected', 'The data connection is open.', {
      connection: this.#connections,
    });
  }

  /** Reports that an open connection was lost, or that a connection attempt failed. */
  ended(end: SocketEnd, { wasOpen, retryInMs }: { wasOpen: boolean; retryInMs: number }): void {
    const isRejected = end.kind === 'refused' && end.status >= 400 && end.status < 500;
    this.#listener.onNote(
      isRejected ? 'error' : 'warning',
      wasOpen ? 'data_connection_lost' : 'data_connection_failed',
      `${wasOpen ? 'The data connection was lost' : 'The data connection could not be opened'}: ${textOf(end)}.`,
      { retryInMs, ...(end.kind === 'refused' && { status: end.status }) },
    );
  }

  givenUp(error: Error): void {
    const { code, message } = asOutboundError(error);
    const text = `The data connection cannot be opened; no further attempts: ${message}.`;
    this.#listener.onNote('error', 'data_connection_given_up', text, { code });
  }

  /** Reports that an unusable message was dropped. */
  unwanted(what: string): void {
    this.#unwanted.report((count) => {
      const text = `Dropped from the data connection: ${what}`.slice(0, MAX_TEXT_LENGTH);
      this.#listener.onNote('warning', 'data_connection_malformed_message', text, { count });
    });
  }

  unknown(messageType: string): void {
    this.#unknown.report((count) => {
      const text = 'A message of an unknown type came over the data connection.';
      this.#listener.onNote('debug', 'data_connection_unknown_message', text, { messageType, count });
    });
  }

  dropped({ messages, audioBytes }: { messages: number; audioBytes: number }): void {
    this.#lostMessages += messages;
    this.#lostAudioBytes += audioBytes;
    this.#overflow.report(() => {
      const extras = { droppedMessages: this.#lostMessages, droppedAudioBytes: this.#lostAudioBytes };
      this.#lostMessages = 0;
      this.#lostAudioBytes = 0;
      const text = 'The data connection is too slow; the oldest queued data was dropped.';
      this.#listener.onNote('warning', 'data_connection_overflow', text, extras);
    });
  }
}

function textOf(end: SocketEnd): string {
  switch (end.kind) {
    case 'refused':
      return `the server responded with status ${end.status}`;
    case 'failed':
      return asOutboundError(end.error).message;
    case 'closed':
      return `the server closed it with ${end.code}${end.reason === '' ? '' : ` (${end.reason})`}`;
    case 'silent':
      return `the server did not respond within ${end.limitMs / 1000} s`;
  }
}

class Throttle {
  readonly #clock: Clock;
  #lastMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `report` with the number of occurrences since the last report, unless that was too recent. */
  report(report: (count: number) => void): void {
    this.#count += 1;
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#lastMs < REPORT_EVERY_MS) return;
    this.#lastMs = nowMs;
    const count = this.#count;
    this.#count = 0;
    report(count);
  }
}
