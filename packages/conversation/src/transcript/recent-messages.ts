import type { Message } from '@calls/api-contract/rest/message';

const MAX_MESSAGES = 1000;
const MAX_CHARS = 1_048_576;

/**
 * The newest messages of a stage for models, tools and later stages: at most a thousand messages or a megabyte
 * of text.
 */
export class RecentMessages {
  #messages: Message[] = [];
  #chars = 0;

  constructor(messages: readonly Message[] = []) {
    for (const message of messages) this.push(message);
  }

  get all(): readonly Message[] {
    return this.#messages;
  }

  push(message: Message): void {
    this.#messages.push(message);
    this.#chars += message.text?.length ?? 0;
    while (this.#messages.length > MAX_MESSAGES || this.#chars > MAX_CHARS) {
      this.#chars -= this.#messages.shift()?.text?.length ?? 0;
    }
  }

  /** Replaces the message with the same index, if present. */
  replace(message: Message): void {
    const at = this.#messages.findLastIndex(
      ({ callStageMessageIndex }) => callStageMessageIndex === message.callStageMessageIndex,
    );
    const before = this.#messages[at];
    if (!before) return;
    this.#chars += (message.text?.length ?? 0) - (before.text?.length ?? 0);
    this.#messages = this.#messages.with(at, message);
  }

  clear(): void {
    this.#messages = [];
    this.#chars = 0;
  }
}
