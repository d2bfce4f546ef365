import { MAX_MESSAGE_BYTES } from '../message/message.ts';

export interface Framed {
  /** Whole messages, each with its head and body. */
  messages: Uint8Array[];
  /** Double CRLFs before or between messages: each is answered with one (RFC 5626, 3.5.1). */
  pings: number;
  /** What came isn't SIP, or is too long: the connection is of no use any more. */
  isBroken: boolean;
}

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:[ \t]*(?<length>\d{1,6})[ \t]*$/imu;
const CR = 13;
const LF = 10;

/** Takes a stream apart by Content-Length. Keeps less than one message. */
export class StreamFramer {
  #pending: Buffer = Buffer.alloc(0);
  #searched = 0;

  push(chunk: Uint8Array): Framed {
    this.#pending = this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk]);
    const messages: Uint8Array[] = [];
    let pings = 0;
    for (;;) {
      pings += this.#skipBreaks();
      const message = this.#next();
      if (message === 'broken') return { messages, pings, isBroken: true };
      if (message === null) return { messages, pings, isBroken: this.#pending.length > MAX_MESSAGE_BYTES };
      messages.push(message);
    }
  }

  #skipBreaks(): number {
    if (this.#searched > 0) return 0;
    let length = 0;
    while (this.#pending[length] === CR || this.#pending[length] === LF) length += 1;
    // Half a ping waits for its other half.
    const rest = length === this.#pending.length ? length % 4 : 0;
    this.#pending = this.#pending.subarray(length - rest);
    return Math.floor((length - rest) / 4);
  }

  #next(): Uint8Array | 'broken' | null {
    if (this.#pending[0] === CR || this.#pending[0] === LF) return null;
    const headEnd = this.#pending.indexOf(HEAD_END, Math.max(0, this.#searched - HEAD_END.length));
    if (headEnd === -1) {
      this.#searched = this.#pending.length;
      return null;
    }
    this.#searched = headEnd;
    const length = CONTENT_LENGTH.exec(this.#pending.toString('latin1', 0, headEnd))?.groups?.['length'];
    if (length === undefined) return 'broken';
    const end = headEnd + HEAD_END.length + Number(length);
    if (end > MAX_MESSAGE_BYTES) return 'broken';
    if (end > this.#pending.length) return null;
    const message = this.#pending.subarray(0, end);
    this.#pending = this.#pending.subarray(end);
    this.#searched = 0;
    return message;
  }
}
