import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Default maximum length of an incomplete line or event. */
const MAX_EVENT_CHARACTERS = 256 * 1024;

/** Parses an event stream into the values of its `data:` fields. */
export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  readonly #events: string[] = [];
  readonly #maxEventCharacters: number;
  readonly #parser: EventSourceParser;
  #overflowed = false;

  constructor(maxEventCharacters = MAX_EVENT_CHARACTERS) {
    this.#maxEventCharacters = maxEventCharacters;
    this.#parser = createParser({
      maxBufferSize: maxEventCharacters,
      onEvent: (event) => this.#events.push(event.data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#overflowed = true;
      },
    });
  }

  /** Adds bytes and returns the events that they complete, in order. Throws a RangeError if an event is too long. */
  push(bytes: Uint8Array): string[] {
    if (!this.#overflowed) this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    if (this.#overflowed) throw new RangeError(`event longer than ${this.#maxEventCharacters} characters`);
    return this.#events.splice(0);
  }

  /** The last event, if the stream ended without the blank line after it. */
  end(): string[] {
    if (!this.#overflowed) this.#parser.feed('\n\n');
    return this.#events.splice(0);
  }
}
