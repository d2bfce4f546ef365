import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';

/** What leaves a session: entries of the call log, and messages to everyone who listens to the call. */
export class SessionOutputs {
  readonly #publish: (body: CallLogEntryBody) => void;
  readonly #listeners: ((message: ServerMessage) => void)[] = [];
  #isClosed = false;

  constructor(publish: (body: CallLogEntryBody) => void) {
    this.#publish = publish;
  }

  /** Listeners get messages in the order in which they were added. */
  addListener(listener: (message: ServerMessage) => void): void {
    this.#listeners.push(listener);
  }

  readonly emit = (body: CallLogEntryBody): void => {
    if (!this.#isClosed) this.#publish(body);
  };

  readonly send = (message: ServerMessage): void => {
    if (!this.#isClosed) for (const listener of this.#listeners) listener(message);
  };

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Drops everything from now on. */
  close(): void {
    this.#isClosed = true;
  }
}
