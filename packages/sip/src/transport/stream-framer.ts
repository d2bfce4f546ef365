import { MAX_MESSAGE_BYTES } from '../message/message.ts';

export interface Framed {
  /** Complete messages with head and body. */
  messages: Uint8Array[];
  /** Number of double CRLFs before or between messages; each gets one CRLF in response (RFC 5626, 3.5.1). */
  pings: number;
  /** The data is not SIP or a message is too long; the connection must be closed. */
  isBroken: boolean;
}

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:[ \t]*(?<length>\d{1,6})[ \t]*$/imu;
const CR = 13;
const LF = 10;

/** Splits a stream into messages by Content-Length. Buffers less than one message. */
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
    // Half of a double CRLF waits for the other half.
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
