import type { MessageMedium, TranscriptMessage } from '@calls/api-contract/data-messages/server-messages';
import { transcript } from './transcript-message.ts';

export interface AgentEntryLinks {
  takeOrdinal: () => number;
  callTimeMs: () => number;
  /** The first words take the place of what the client may have been shown under their ordinal. */
  replaces: boolean;
  send: (message: TranscriptMessage) => void;
  /** What was heard, once nothing more will be; empty where that is nothing. */
  closed: (text: string, startedAtMs: number) => void;
}

/** One utterance of the agent, as it is heard. */
export class AgentEntry {
  readonly #medium: MessageMedium;
  readonly #links: AgentEntryLinks;
  #ordinal: number | null = null;
  #heard = '';
  #startedAtMs = 0;
  #closed = false;

  constructor(medium: MessageMedium, links: AgentEntryLinks) {
    this.#medium = medium;
    this.#links = links;
  }

  /** The time from which this utterance is heard, for its timespan. */
  begin(): void {
    this.#startedAtMs = this.#links.callTimeMs();
  }

  append(delta: string): void {
    if (delta === '' || this.#closed) return;
    this.#heard += delta;
    // Blanks alone are no utterance.
    if (this.#heard.trim() === '') return;
    const { takeOrdinal, replaces, send } = this.#links;
    const isFirst = this.#ordinal === null;
    this.#ordinal ??= takeOrdinal();
    const shown = isFirst ? this.#heard : delta;
    const words = isFirst && replaces ? { text: shown } : { delta: shown };
    send(transcript('agent', this.#medium, this.#ordinal, words, false));
  }

  /** Nothing more will be heard. An utterance of which nothing was heard leaves no trace. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const text = this.#heard.trim();
    if (this.#ordinal !== null)
      this.#links.send(transcript('agent', this.#medium, this.#ordinal, { text }, true));
    this.#links.closed(text, this.#startedAtMs);
  }
}
