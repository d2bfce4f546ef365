import type { MessageMedium, TranscriptMessage } from '@calls/api-contract/data-messages/server-messages';
import { transcript } from './transcript-message.ts';

export interface AgentEntryLinks {
  takeOrdinal: () => number;
  callTimeMs: () => number;
  /** The first message replaces what the client may have received for this ordinal. */
  replaces: boolean;
  send: (message: TranscriptMessage) => void;
  /** Called once with the played text; empty if nothing was played. */
  closed: (text: string, startedAtMs: number) => void;
}

/** A transcript entry of the agent that grows as its words are played. */
export class AgentEntry {
  readonly #medium: MessageMedium;
  readonly #links: AgentEntryLinks;
  #ordinal: number | null = null;
  #text = '';
  #startedAtMs = 0;
  #closed = false;

  constructor(medium: MessageMedium, links: AgentEntryLinks) {
    this.#medium = medium;
    this.#links = links;
  }

  /** Marks the start of playback, for the timespan. */
  begin(): void {
    this.#startedAtMs = this.#links.callTimeMs();
  }

  append(delta: string): void {
    if (delta === '' || this.#closed) return;
    this.#text += delta;
    // White space alone is not shown.
    if (this.#text.trim() === '') return;
    const { takeOrdinal, replaces, send } = this.#links;
    const isFirst = this.#ordinal === null;
    this.#ordinal ??= takeOrdinal();
    const shown = isFirst ? this.#text : delta;
    const words = isFirst && replaces ? { text: shown } : { delta: shown };
    send(transcript('agent', this.#medium, this.#ordinal, words, false));
  }

  /** Closes the entry: nothing more will be played. An entry without text leaves no trace. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const text = this.#text.trim();
    if (this.#ordinal !== null)
      this.#links.send(transcript('agent', this.#medium, this.#ordinal, { text }, true));
    this.#links.closed(text, this.#startedAtMs);
  }
}
