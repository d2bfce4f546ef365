import { isLineOfMarks, lineStartOf, opensOrClosesFence, spokenOfRow } from './markdown-marks.ts';
import type { SentenceBuilder } from './sentence-builder.ts';
import { speechClassOf, tagOf } from './unspoken.ts';

/** Maximum number of characters buffered before they are treated as text. */
const MAX_HELD_CHARS = 300;
const MAX_TARGET_CHARS = 2000;

const SPACE = /\s/u;
const WORD = /[\p{L}\p{N}]/u;
const MARKS = '*_~`[]<|\\!#';
/** Checkboxes, footnotes and citations: "[x]", "[3]", "[^note]". */
const BOX = /^(?:\d{0,3}|[ xX]|\^[^\n\]]{0,40})$/u;

type Mode =
  | 'line_start'
  | 'text'
  /** In a row of `*`, `_` or `~`. */
  | 'run'
  | 'escape'
  | 'bang'
  | 'bracket'
  | 'behind_bracket'
  | 'target'
  | 'tag'
  | 'fence';

const MODE_OF_MARK: Readonly<Record<string, Mode | undefined>> = {
  '*': 'run',
  _: 'run',
  '~': 'run',
  '\\': 'escape',
  '!': 'bang',
  '[': 'bracket',
  ']': 'behind_bracket',
  '<': 'tag',
};

/**
 * Reads Markdown character by character and emits the text to speak. Buffering is bounded, and the output does
 * not depend on how the input is chunked.
 */
export class MarkdownReader {
  readonly #out: SentenceBuilder;
  #mode: Mode = 'line_start';
  #held = '';
  /** The last emitted character, or a space. */
  #last = ' ';
  #beforeLast = ' ';
  #inCode = false;
  #inAddress = false;
  #inHeading = false;
  #dropped = false;
  #afterPictograph = false;
  #depth = 0;
  #targetChars = 0;
  #openTarget = '(';

  constructor(out: SentenceBuilder) {
    this.#out = out;
  }

  /** The end mark that is read but not emitted yet, or '' for none. Null if other text may be pending. */
  get pendingMark(): '!' | '' | null {
    if (this.#inCode || this.#inAddress) return null;
    return this.#mode === 'bang' ? '!' : this.#mode === 'text' || this.#mode === 'run' ? '' : null;
  }

  /** One code point. */
  read(char: string): void {
    switch (this.#mode) {
      case 'text':
        this.#text(char);
        break;
      case 'line_start':
        this.#lineStart(char);
        break;
      case 'run':
        this.#run(char);
        break;
      case 'escape':
        this.#mode = 'text';
        if (/[!-/:-@[-`{-~]/u.test(char)) this.#emit(char);
        else {
          this.#emit('\\');
          this.#text(char);
        }
        break;
      case 'bang':
        this.#mode = 'text';
        // An image is replaced by its alternative text.
        if (char !== '[' || WORD.test(this.#last)) this.#emit('!');
        this.#text(char);
        break;
      case 'bracket':
        this.#bracket(char);
        break;
      case 'behind_bracket':
        this.#behindBracket(char);
        break;
      case 'target':
        this.#target(char);
        break;
      case 'tag':
        this.#tag(char);
        break;
      case 'fence':
        this.#fence(char);
        break;
    }
  }

  end(): void {
    if (this.#mode === 'line_start' && isLineOfMarks(this.#held)) this.#held = '';
    if (this.#mode === 'escape') this.#emit('\\');
    if (this.#mode === 'bang') this.#emit('!');
    if (this.#mode === 'tag') this.#spell(`<${this.#held}`);
    else if (this.#mode === 'bracket' || this.#mode === 'line_start') this.#release();
    this.#out.end();
  }

  #text(char: string): void {
    if (char === '\n') this.#endLine();
    else if (MARKS.includes(char)) this.#mark(char);
    else if (SPACE.test(char)) this.#space();
    else if (char > '\x7f') this.#beyondAscii(char);
    else this.#emit(char);
  }

  #mark(char: string): void {
    if (char === '`') {
      this.#inCode = !this.#inCode;
      return;
    }
    if (this.#inCode) {
      this.#emit(char);
      return;
    }
    if (char === '|') {
      this.#out.cell();
      this.#last = ' ';
      return;
    }
    const mode = MODE_OF_MARK[char];
    if (mode) {
      this.#mode = mode;
      this.#held = mode === 'run' ? char : '';
    } else if (!this.#inHeading) this.#emit(char);
  }

  #emit(char: string): void {
    if (this.#dropped) {
      this.#dropped = false;
      this.#out.gap(char);
    }
    this.#afterPictograph = false;
    if (char === '/' && this.#last === '/' && this.#beforeLast === ':') this.#inAddress = true;
    this.#beforeLast = this.#last;
    this.#last = char;
    this.#out.put(char);
  }

  #space(): void {
    this.#last = ' ';
    this.#inAddress = false;
    this.#out.space();
  }

  #beyondAscii(char: string): void {
    if (char === '\u200D' && this.#afterPictograph) return;
    const kind = speechClassOf(char);
    if (kind === 'spoken') {
      this.#emit(char);
      return;
    }
    if (kind !== 'pictograph') return;
    this.#space();
    this.#dropped = true;
    this.#afterPictograph = true;
  }

  #endLine(): void {
    this.#mode = 'line_start';
    this.#held = '';
    this.#inCode = false;
    this.#inAddress = false;
    this.#last = ' ';
    this.#dropped = false;
    if (this.#inHeading) this.#out.block();
    else this.#out.line();
    this.#inHeading = false;
  }

  #lineStart(char: string): void {
    if (char === '\n') {
      if (!isLineOfMarks(this.#held)) {
        this.#release();
        this.#endLine();
        return;
      }
      // A thematic break, a table border or an empty line.
      this.#held = '';
      this.#out.block();
      return;
    }
    if (this.#held === '' && SPACE.test(char)) return;
    this.#held += char;
    const held = this.#held;
    switch (lineStartOf(held)) {
      case 'undecided':
        break;
      case 'bullet':
        this.#begin('line_start');
        break;
      case 'fence':
        this.#begin('fence');
        break;
      case 'heading':
        this.#begin('text');
        this.#inHeading = true;
        break;
      case 'ordinal':
        this.#begin('text');
        this.#spell(held);
        break;
      case 'row':
        this.#out.block();
        this.#release();
        break;
      case 'text':
        this.#release();
    }
  }

  /** Starts a block in this line. */
  #begin(mode: Mode): void {
    this.#mode = mode;
    this.#held = '';
    this.#out.block();
  }

  /** Emits the buffered characters as text; the opening bracket is not spoken. */
  #release(): void {
    const held = this.#held;
    this.#mode = 'text';
    this.#held = '';
    for (const char of held) this.read(char);
  }

  #spell(text: string): void {
    for (const char of text) {
      if (SPACE.test(char)) this.#space();
      else if (char > '\x7f') this.#beyondAscii(char);
      else this.#emit(char);
    }
  }

  #run(char: string): void {
    const mark = this.#held.charAt(0);
    if (char === mark && this.#held.length < MAX_HELD_CHARS) {
      this.#held += char;
      return;
    }
    this.#mode = 'text';
    this.#spell(spokenOfRow(this.#held, this.#last, char, this.#inAddress));
    this.#text(char);
  }

  #bracket(char: string): void {
    if (char === ']') {
      this.#mode = 'behind_bracket';
      this.#dropped = true;
      this.#held = '';
      return;
    }
    const held = this.#held + char;
    if (BOX.test(held)) {
      this.#held = held;
      return;
    }
    this.#release();
    this.read(char);
  }

  #behindBracket(char: string): void {
    this.#mode = 'text';
    if (char !== '(' && char !== '[') {
      this.#text(char);
      return;
    }
    this.#mode = 'target';
    this.#openTarget = char;
    this.#depth = 1;
    this.#targetChars = 0;
  }

  /** The target of a link. */
  #target(char: string): void {
    this.#targetChars += 1;
    if (char === this.#openTarget) this.#depth += 1;
    if (char === (this.#openTarget === '(' ? ')' : ']')) this.#depth -= 1;
    if (this.#depth === 0 || this.#targetChars > MAX_TARGET_CHARS) this.#mode = 'text';
    else if (char === '\n') this.#endLine();
  }

  #tag(char: string): void {
    const opens = this.#held !== '' || /[a-z/!]/iu.test(char);
    if (!opens || char === '\n' || char === '<' || this.#held.length >= MAX_HELD_CHARS) {
      this.#mode = 'text';
      this.#spell(`<${this.#held}`);
      this.#text(char);
      return;
    }
    if (char !== '>') {
      this.#held += char;
      return;
    }
    const content = this.#held;
    this.#mode = 'text';
    switch (tagOf(content)) {
      case 'block':
        this.#out.block();
        this.#last = ' ';
        break;
      case 'cell':
        this.#out.cell();
        break;
      case 'inline':
        this.#dropped = true;
        break;
      case 'address':
        this.#spell(content);
        break;
      case 'words':
        this.#spell(`<${content}>`);
    }
  }

  /** Skips a code block up to its closing fence. */
  #fence(char: string): void {
    if (char === '\n') {
      this.#held = '';
      return;
    }
    if (this.#held.length > 3 || (this.#held === '' && SPACE.test(char))) return;
    this.#held += char;
    if (opensOrClosesFence(this.#held)) this.#mode = 'text';
  }
}
