import { endingOfFullStop, goesOn, isIdeograph, type Ending } from './sentence-ends.ts';

/** A sentence of an answer. Never without a letter or a digit. */
export interface Sentence {
  /** As transcript and history show it: the words that are spoken, after what parts them from those before ('', ' ', '\n'). */
  shown: string;
  /** As a voice gets it. */
  spoken: string;
}

/** Longest sentences, in characters; ideographs count three times. The first is shorter: somebody waits for it. */
const MAX_CHARS = 240;
const MAX_FIRST_CHARS = 140;
/** A clause is worth a cut where it is at least this part of the longest sentence. */
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
/** End a sentence whatever follows. */
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

/** Where the sentence stands: within, right behind an end mark, or behind the white space after it. */
type Place = 'within' | 'behind_mark' | 'behind_space';

/**
 * Puts plain text, one character at a time, together to sentences. A sentence is given as soon as its end is certain,
 * which takes at most one character after the white space behind it.
 */
export class SentenceBuilder {
  #text = '';
  #place: Place = 'within';
  #ending: Ending = 'end';
  /** Index of the first end mark in `#text` while behind it. */
  #markAt = 0;
  #closed = false;
  /** What parts the sentence from the one before. */
  #separator = '';
  #openGuillemets = 0;
  #weight = 0;
  #spaceAt = 0;
  #clauseAt = 0;
  #given = 0;
  #cellEnded = false;
  #ready: Sentence[] = [];

  /** The sentences that are whole. They are the caller's. */
  take(): readonly Sentence[] {
    if (this.#ready.length === 0) return NONE;
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** One character that is not white space. */
  put(char: string): void {
    if (this.#cellEnded) {
      this.#cellEnded = false;
      this.#text = `${this.#text.trimEnd()}, `;
    }
    if (this.#place === 'behind_mark') this.#putBehindMark(char);
    else if (this.#place === 'behind_space') this.#putBehindSpace(char);
    else this.#append(char);
  }

  /** White space, any number of times. */
  space(): void {
    if (this.#text === '') {
      if (this.#separator === '' && this.#given > 0) this.#separator = ' ';
      return;
    }
    if (this.#place === 'behind_space') return;
    if (this.#place === 'behind_mark') {
      this.#ending = this.#endingAtSpace();
      if (this.#ending === 'end' && this.#openGuillemets === 0) {
        this.#cut(this.#text.length);
        this.#separator = ' ';
        return;
      }
      this.#place = this.#ending === 'inside' ? 'within' : 'behind_space';
    }
    this.#appendSpace();
  }

  /** The end of a line of a paragraph. It ends a sentence unless the next line goes on in small letters. */
  line(): void {
    if (this.#text !== '' && this.#place === 'within') {
      this.#appendSpace();
      this.#place = 'behind_space';
      this.#ending = 'unless_small';
      return;
    }
    this.space();
    if (this.#text === '' && this.#given > 0) this.#separator = '\n';
  }

  /** The end of a paragraph, a heading, an item: of the sentence in any case. */
  block(): void {
    this.#cut(this.#text.length);
    if (this.#given > 0) this.#separator = '\n';
  }

  /** The border between two cells of a row. */
  cell(): void {
    this.space();
    this.#cellEnded = this.#text !== '' && this.#place === 'within';
  }

  /** Something that is not spoken was here. Marks that follow belong to the word before it. */
  gap(char: string): void {
    if (JOINED_TO_WORD_BEFORE.has(char) && this.#place === 'within') this.#text = this.#text.trimEnd();
  }

  /** The end of the text. */
  end(): void {
    this.#cut(this.#text.length);
  }

  #putBehindMark(char: string): void {
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

  #putBehindSpace(char: string): void {
    const closesGuillemet = char === '»' && this.#openGuillemets > 0;
    if (!closesGuillemet && !goesOn(this.#ending, char)) {
      this.#cut(this.#text.length);
      this.#separator = ' ';
    }
    this.#place = 'within';
    this.#append(char);
    if (closesGuillemet && this.#ending === 'end') {
      this.#place = 'behind_mark';
      this.#closed = true;
    }
  }

  #endingAtSpace(): Ending {
    const marks = this.#text.slice(this.#markAt);
    const mark = marks.charAt(0);
    // "Stop." he said: whether the quotation or the sentence ended the next word tells.
    if (this.#closed) return 'unless_small';
    if (SURE_ENDS.has(mark)) return 'end';
    if (marks === '.') return endingOfFullStop(this.#text.slice(0, this.#markAt));
    return /^(?:\.+|…+)$/u.test(marks) ? 'unless_small' : 'end';
  }

  #append(char: string): void {
    this.#makeRoom(char);
    if (ENDS.has(char)) {
      if (this.#place !== 'behind_mark') this.#markAt = this.#text.length;
      this.#place = 'behind_mark';
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

  /** Cuts what is too long: at the last clause, else at the last space, else before `next`. */
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

  /** Gives the first `length` characters; the rest begins the next sentence. */
  #cut(length: number): void {
    const rest = this.#text.slice(length);
    const spoken = this.#text.slice(0, length).trim();
    if (SPEAKABLE.test(spoken)) {
      this.#ready.push({ shown: this.#separator + spoken, spoken });
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
