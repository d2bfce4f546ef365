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
  #kept: Buffer = Buffer.alloc(0);
  #searched = 0;

  push(chunk: Uint8Array): Framed {
    this.#kept = this.#kept.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#kept, chunk]);
    const messages: Uint8Array[] = [];
    let pings = 0;
    for (;;) {
      pings += this.#skipBreaks();
      const message = this.#next();
      if (message === 'broken') return { messages, pings, isBroken: true };
      if (message === null) return { messages, pings, isBroken: this.#kept.length > MAX_MESSAGE_BYTES };
      messages.push(message);
    }
  }

  #skipBreaks(): number {
    if (this.#searched > 0) return 0;
    let length = 0;
    while (this.#kept[length] === CR || this.#kept[length] === LF) length += 1;
    // Half a ping waits for its other half.
    const rest = length === this.#kept.length ? length % 4 : 0;
    this.#kept = this.#kept.subarray(length - rest);
    return Math.floor((length - rest) / 4);
  }

  #next(): Uint8Array | 'broken' | null {
    if (this.#kept[0] === CR || this.#kept[0] === LF) return null;
    const headEnd = this.#kept.indexOf(HEAD_END, Math.max(0, this.#searched - HEAD_END.length));
    if (headEnd === -1) {
      this.#searched = this.#kept.length;
      return null;
    }
    this.#searched = headEnd;
    const length = CONTENT_LENGTH.exec(this.#kept.toString('latin1', 0, headEnd))?.groups?.['length'];
    if (length === undefined) return 'broken';
    const end = headEnd + HEAD_END.length + Number(length);
    if (end > MAX_MESSAGE_BYTES) return 'broken';
    if (end > this.#kept.length) return null;
    const message = this.#kept.subarray(0, end);
    this.#kept = this.#kept.subarray(end);
    this.#searched = 0;
    return message;
  }
}
