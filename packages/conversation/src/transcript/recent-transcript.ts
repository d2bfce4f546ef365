import type { MessageMedium, TranscriptMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Message } from '@calls/api-contract/rest/message';
import { transcript } from './transcript-message.ts';

/** One entry of the live transcript, whole. */
export interface TranscriptEntry {
  role: TranscriptMessage['role'];
  medium: MessageMedium;
  text: string;
}

const MAX_SHOWN = 50;
const MAX_SHOWN_CHARS = 65_536;

/** The newest utterances of the live transcript, for clients that come back: they may have missed some. */
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

  /** Takes what somebody said; what tools were asked and answered is not shown. */
  add({ role, medium, text = '' }: Message): boolean {
    const speaker = role === 'MESSAGE_ROLE_USER' ? 'user' : role === 'MESSAGE_ROLE_AGENT' ? 'agent' : null;
    if (!speaker) return false;
    this.#push({ role: speaker, medium: medium === 'MESSAGE_MEDIUM_TEXT' ? 'text' : 'voice', text });
    return true;
  }

  /** Of something the user said, where that is still held. */
  replace({ text: from = '' }: Message, { text = '' }: Message): void {
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

/** For a client that may have missed them: the newest utterances, the last of them right before `nextOrdinal`. */
export function transcriptReplay(last: {
  shown: readonly TranscriptEntry[];
  nextOrdinal: number;
}): TranscriptMessage[] {
  const { shown, nextOrdinal } = last;
  const first = nextOrdinal - shown.length;
  return shown.map(({ role, medium, text }, i) => transcript(role, medium, first + i, { text }, true));
}
