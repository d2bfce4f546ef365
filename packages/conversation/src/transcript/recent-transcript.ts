import type { MessageMedium, TranscriptMessage } from '@calls/api-contract/data-messages/server-messages';
import type { CallMessage } from './call-message.ts';
import { transcript } from './transcript-message.ts';

/** One complete entry of the live transcript. */
export interface TranscriptEntry {
  role: TranscriptMessage['role'];
  medium: MessageMedium;
  text: string;
}

const MAX_SHOWN = 50;
const MAX_SHOWN_CHARS = 65_536;

/** The newest entries of the live transcript, for clients that reconnect and may have missed some. */
export class RecentTranscript {
  #newest: TranscriptEntry[];
  #chars = 0;

  constructor(newest: readonly TranscriptEntry[] = []) {
    this.#newest = [];
    for (const utterance of newest) this.#push(utterance);
  }

  get newest(): readonly TranscriptEntry[] {
    return this.#newest;
  }

  /** Adds a message of the user or the agent. Tool calls and results are not shown: returns false. */
  add({ role, medium, text = '' }: CallMessage): boolean {
    if (role !== 'user' && role !== 'agent') return false;
    this.#push({ role, medium: medium === 'text' ? 'text' : 'voice', text });
    return true;
  }

  /** Replaces a user entry, if present. */
  replace({ text: from = '' }: CallMessage, { text = '' }: CallMessage): void {
    const at = this.#newest.findLastIndex((shown) => shown.role === 'user' && shown.text === from);
    const before = this.#newest[at];
    if (!before) return;
    this.#chars += text.length - from.length;
    this.#newest = this.#newest.with(at, { ...before, text });
  }

  #push(utterance: TranscriptEntry): void {
    this.#newest.push(utterance);
    this.#chars += utterance.text.length;
    while (this.#newest.length > MAX_SHOWN || (this.#chars > MAX_SHOWN_CHARS && this.#newest.length > 1)) {
      this.#chars -= this.#newest.shift()?.text.length ?? 0;
    }
  }
}

/**
 * Transcript messages for a reconnected client: the newest entries, the last one right before `nextOrdinal`.
 */
export function transcriptReplay(last: {
  shown: readonly TranscriptEntry[];
  nextOrdinal: number;
}): TranscriptMessage[] {
  const { shown, nextOrdinal } = last;
  const first = nextOrdinal - shown.length;
  return shown.map(({ role, medium, text }, i) => transcript(role, medium, first + i, { text }, true));
}
