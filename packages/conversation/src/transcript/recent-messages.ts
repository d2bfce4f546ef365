import type { CallMessage } from './call-message.ts';

export const MAX_RECENT_MESSAGES = 1000;
const MAX_CHARS = 1_048_576;

/**
 * The newest messages of a stage for models, tools and later stages: at most a thousand messages or a megabyte
 * of text.
 */
export class RecentMessages {
  #messages: CallMessage[] = [];
  #chars = 0;

  constructor(messages: readonly CallMessage[] = []) {
    for (const message of messages) this.push(message);
  }

  get all(): readonly CallMessage[] {
    return this.#messages;
  }

  push(message: CallMessage): void {
    this.#messages.push(message);
    this.#chars += message.text?.length ?? 0;
    while (this.#messages.length > MAX_RECENT_MESSAGES || this.#chars > MAX_CHARS) {
      this.#chars -= this.#messages.shift()?.text?.length ?? 0;
    }
  }

  /** Replaces the message with the same index, if present. */
  replace(message: CallMessage): void {
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
