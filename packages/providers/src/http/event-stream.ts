import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Default of what an unfinished line or event may not grow beyond. */
const MAX_EVENT_CHARACTERS = 256 * 1024;

/** Turns the bytes of an event stream into the values of its `data:` fields. */
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

  /** The events that these bytes completed, in order. Throws a RangeError once an event has grown too long. */
  push(bytes: Uint8Array): string[] {
    if (!this.#overflowed) this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    if (this.#overflowed)
      throw new RangeError(`an event of more than ${this.#maxEventCharacters} characters`);
    return this.#events.splice(0);
  }

  /** The last event, where the stream ended without the blank line that closes it. */
  end(): string[] {
    if (!this.#overflowed) this.#parser.feed('\n\n');
    return this.#events.splice(0);
  }
}
