import { endingOfFullStop, sentenceContinues, isIdeograph, type Ending } from './sentence-ends.ts';

/** A sentence of a response. Contains at least one letter or digit. */
export interface Sentence {
  /** The text as shown in transcript and history. Begins with the separator from the text before ('', ' ', '\n'). */
  shown: string;
  /** The text as sent to TTS. */
  spoken: string;
}

/**
 * Maximum sentence length in characters; ideographs count three times. The first is shorter, as the user is
 * waiting for it.
 */
const MAX_CHARS = 240;
const MAX_FIRST_CHARS = 140;
/** Minimum share of the text before a clause boundary for a cut there. */
const MIN_CLAUSE_PART = 1 / 3;

const ENDS = new Set([
  '.',
  '!',
  '?',
  '…',
  '‼',
  '⁇',
  '⁈',
  '⁉',
  '。',
  '！',
  '？',
  '｡',
  '．',
  '।',
  '॥',
  '؟',
  '۔',
]);
/** Always end a sentence. */
const SURE_ENDS = new Set(['。', '！', '？', '｡', '।', '॥', '؟', '۔']);
const CLOSERS = new Set(['"', "'", '”', '’', '“', ')', ']', '»', '›', '」', '』', '）', '】', '》']);
const CLAUSE_ENDS = new Set([',', ';', ':', '–', '—', '،', '؛']);
const WIDE_CLAUSE_ENDS = new Set(['、', '，', '；', '：']);
const JOINED_TO_WORD_BEFORE = new Set([
  '.',
  ',',
  '!',
  '?',
  ';',
  ':',
  '…',
  ')',
  ']',
  '。',
  '！',
  '？',
  '،',
  '؟',
]);
const SPEAKABLE = /[\p{L}\p{N}]/u;
const COMBINING = /[\p{M}\u200C\u200D]/u;

/** Parser position: within a sentence, right after an end mark, or after the white space behind it. */
type Place = 'within' | 'after_mark' | 'after_space';

/**
 * Builds sentences from plain text, one character at a time. A sentence is emitted as soon as its end is
 * certain: at most one character after the white space behind it.
 */
export class SentenceBuilder {
  #text = '';
  #place: Place = 'within';
  #ending: Ending = 'end';
  /** Index of the first end mark in `#text`, if after one. */
  #markAt = 0;
  #closed = false;
  /** Separator from the sentence before. */
  #separator = '';
  #openGuillemets = 0;
  #weight = 0;
  #spaceAt = 0;
  #clauseAt = 0;
  #given = 0;
  #cellEnded = false;
  #ready: Sentence[] = [];

  /** Returns the complete sentences. The caller owns the array. */
  take(): readonly Sentence[] {
    if (this.#ready.length === 0) return NONE;
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /**
   * The sentence that the text so far, followed by `mark` ('' for none), very likely is. Null if its end is open, as
   * after "Dr." or "3.". Later text may still continue it: "example.com".
   */
  likely(mark: string): Sentence | null {
    const hasEnded = this.#place === 'after_mark' ? this.#endingAtSpace() === 'end' : mark !== '';
    if (!hasEnded || this.#place === 'after_space' || this.#openGuillemets > 0) return null;
    return this.#sentenceOf(this.#text + mark);
  }

  /** Adds one character that is not white space. */
  put(char: string): void {
    if (this.#cellEnded) {
      this.#cellEnded = false;
      this.#text = `${this.#text.trimEnd()}, `;
    }
    if (this.#place === 'after_mark') this.#putAfterMark(char);
    else if (this.#place === 'after_space') this.#putAfterSpace(char);
    else this.#append(char);
  }

  /** Adds white space; repeated calls count once. */
  space(): void {
    if (this.#text === '') {
      if (this.#separator === '' && this.#given > 0) this.#separator = ' ';
      return;
    }
    if (this.#place === 'after_space') return;
    if (this.#place === 'after_mark') {
      this.#ending = this.#endingAtSpace();
      if (this.#ending === 'end' && this.#openGuillemets === 0) {
        this.#cut(this.#text.length);
        this.#separator = ' ';
        return;
      }
      this.#place = this.#ending === 'inside' ? 'within' : 'after_space';
    }
    this.#appendSpace();
  }

  /** Ends a line of a paragraph. Ends the sentence unless the next line continues in lower case. */
  line(): void {
    if (this.#text !== '' && this.#place === 'within') {
      this.#appendSpace();
      this.#place = 'after_space';
      this.#ending = 'unless_small';
      return;
    }
    this.space();
    if (this.#text === '' && this.#given > 0) this.#separator = '\n';
  }

  /** Ends a paragraph, heading or list item, and the sentence. */
  block(): void {
    this.#cut(this.#text.length);
    if (this.#given > 0) this.#separator = '\n';
  }

  /** Ends a table cell. */
  cell(): void {
    this.space();
    this.#cellEnded = this.#text !== '' && this.#place === 'within';
  }

  /** Marks unspoken content. Punctuation after it attaches to the word before it. */
  gap(char: string): void {
    if (JOINED_TO_WORD_BEFORE.has(char) && this.#place === 'within') this.#text = this.#text.trimEnd();
  }

  /** Ends the text. */
  end(): void {
    this.#cut(this.#text.length);
  }

  #putAfterMark(char: string): void {
    if (ENDS.has(char)) {
      this.#append(char);
      return;
    }
    if (CLOSERS.has(char) && this.#weight < MAX_CHARS) {
      this.#closed = true;
      this.#text += char;
      this.#weight += 1;
      if (char === '»') this.#openGuillemets = Math.max(0, this.#openGuillemets - 1);
      return;
    }
    if (this.#endsWithoutSpace(char)) this.#cut(this.#text.length);
    this.#place = 'within';
    this.#append(char);
  }

  #endsWithoutSpace(next: string): boolean {
    const mark = this.#text.charAt(this.#markAt);
    if (SURE_ENDS.has(mark)) return !(this.#closed && (next === 'と' || next === 'っ'));
    return (
      mark !== '…' && mark !== '.' && isIdeograph(next) && isIdeograph(this.#text.charAt(this.#markAt - 1))
    );
  }

  #putAfterSpace(char: string): void {
    const closesGuillemet = char === '»' && this.#openGuillemets > 0;
    if (!closesGuillemet && !sentenceContinues(this.#ending, char)) {
      this.#cut(this.#text.length);
      this.#separator = ' ';
    }
    this.#place = 'within';
    this.#append(char);
    if (closesGuillemet && this.#ending === 'end') {
      this.#place = 'after_mark';
      this.#closed = true;
    }
  }

  #endingAtSpace(): Ending {
    const marks = this.#text.slice(this.#markAt);
    const mark = marks.charAt(0);
    // In '"Stop." he said', the next word decides whether the sentence has ended.
    if (this.#closed) return 'unless_small';
    if (SURE_ENDS.has(mark)) return 'end';
    if (marks === '.') return endingOfFullStop(this.#text.slice(0, this.#markAt));
    return /^(?:\.+|…+)$/u.test(marks) ? 'unless_small' : 'end';
  }

  #append(char: string): void {
    this.#makeRoom(char);
    if (ENDS.has(char)) {
      if (this.#place !== 'after_mark') this.#markAt = this.#text.length;
      this.#place = 'after_mark';
      this.#closed = false;
    } else if (char === '«') this.#openGuillemets += 1;
    else if (char === '»') this.#openGuillemets = Math.max(0, this.#openGuillemets - 1);
    this.#text += char;
    this.#weight += weightOf(char);
    if (WIDE_CLAUSE_ENDS.has(char)) this.#clauseAt = this.#text.length;
  }

  #appendSpace(): void {
    const last = this.#text.charAt(this.#text.length - 1);
    if (last === ' ') return;
    this.#text += ' ';
    this.#weight += 1;
    this.#spaceAt = this.#text.length;
    if (CLAUSE_ENDS.has(last)) this.#clauseAt = this.#text.length;
  }

  /** Cuts text that is too long: at the last clause, else at the last space, else before `next`. */
  #makeRoom(next: string): void {
    const max = this.#given === 0 ? MAX_FIRST_CHARS : MAX_CHARS;
    if (this.#weight < max) return;
    const unsplittable = ENDS.has(next) || COMBINING.test(next);
    if (unsplittable && this.#weight < 2 * max) return;
    const min = this.#text.length * MIN_CLAUSE_PART;
    const at = this.#clauseAt > min ? this.#clauseAt : this.#spaceAt;
    const spaced = at > 0 && this.#text.charAt(at - 1) === ' ';
    this.#cut(at > 0 ? at : this.#text.length);
    if (spaced) this.#separator = ' ';
  }

  /** Null if nothing of the text can be spoken. */
  #sentenceOf(text: string): Sentence | null {
    const spoken = text.trim();
    return SPEAKABLE.test(spoken) ? { shown: this.#separator + spoken, spoken } : null;
  }

  /** Emits the first `length` characters; the rest starts the next sentence. */
  #cut(length: number): void {
    const rest = this.#text.slice(length);
    const sentence = this.#sentenceOf(this.#text.slice(0, length));
    if (sentence) {
      this.#ready.push(sentence);
      this.#given += 1;
      this.#separator = '';
    }
    this.#text = rest;
    this.#place = 'within';
    this.#closed = false;
    this.#cellEnded = false;
    this.#weight = 0;
    for (const char of rest) this.#weight += weightOf(char);
    this.#spaceAt = 0;
    this.#clauseAt = 0;
    this.#openGuillemets = 0;
  }
}

const NONE: readonly Sentence[] = [];

function weightOf(char: string): number {
  return isIdeograph(char) ? 3 : 1;
}
