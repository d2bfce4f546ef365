import type { ProcessEnd } from './messages.ts';

export interface HostedProcessEvents {
  onTaken: (bytes: number) => void;
  onKill: () => void;
}

/** One process of the host. Its unread output is bounded by the host's window. */
export class HostedProcess {
  /** Settles after the process has ended; never rejects. */
  readonly end: Promise<ProcessEnd>;
  readonly #events: HostedProcessEvents;
  readonly #output: Uint8Array[] = [];
  #settleEnd: (end: ProcessEnd) => void = () => undefined;
  #waiting: ((bytes: Uint8Array | undefined) => void) | undefined;
  #ended = false;
  #killed = false;

  constructor(events: HostedProcessEvents) {
    this.#events = events;
    this.end = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
  }

  /** The next part of standard output; undefined after the last, and after `kill`. One call at a time. */
  read(): Promise<Uint8Array | undefined> {
    const bytes = this.#output.shift();
    if (bytes) {
      this.#events.onTaken(bytes.byteLength);
      return Promise.resolve(bytes);
    }
    if (this.#ended || this.#killed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Drops unread output and kills the process. Idempotent. */
  kill(): void {
    if (this.#killed) return;
    this.#killed = true;
    this.#output.length = 0;
    this.#deliver(undefined);
    if (!this.#ended) this.#events.onKill();
  }

  /** Called by the host when output arrived. */
  add(bytes: Uint8Array): void {
    if (this.#killed) return;
    if (this.#waiting) {
      this.#events.onTaken(bytes.byteLength);
      this.#deliver(bytes);
    } else {
      this.#output.push(bytes);
    }
  }

  /** Called by the host when no output will follow. */
  finish(end: ProcessEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#settleEnd(end);
    this.#deliver(undefined);
  }

  #deliver(bytes: Uint8Array | undefined): void {
    const deliver = this.#waiting;
    this.#waiting = undefined;
    deliver?.(bytes);
  }
}
