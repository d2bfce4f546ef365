import type { PromptVoice } from '../recordings/asterisk-prompts.ts';
import type { Recording, Speaker } from '../recordings/recording.ts';
import { RATE_HZ, readSpeech } from '../recordings/read-recording.ts';
import { speechExtent } from '../recordings/speech-extents.ts';
import { Draws, pauseDurationMs } from './random.ts';
import { splitRecording, type Piece } from './split-recording.ts';
import type { Part, PauseKind, Turn } from './turn.ts';

/** Numbers of turns per speaker, by form. */
export interface TurnCounts {
  /** A recording with pauses at its punctuation. */
  split: number;
  /** Phrases and numbers made of several recordings. */
  phrases: number;
  /** Two complete recordings. */
  sentences: number;
  /** One complete recording. */
  single: number;
}

/** Fillers of the languages of the recordings. */
const FILLER = /^(?:e+h*m*|h+m+|u+h*m*|m+h*m*|a+h+|o+h+|ach|och|nou|no)\W*$/iu;
const ENDS_SENTENCE = /[.!?]["'”’»)]*$/u;
const MIN_WORDS = 3;

/**
 * Prompts that are parts of spoken phrases, in order; `#` is a digit, `…` a pause within the phrase, `-` a pause between
 * groups of a number. The names are those of Asterisk's prompts.
 */
const PHRASES = [
  'vm-youhave … # vm-INBOX vm-messages',
  'vm-youhave # … vm-Old vm-messages',
  'conf-thereare … # conf-otherinparty',
  'conf-enteringno … # # # #',
  'conf-enteringno # # - # #',
  'queue-thereare … #',
  'queue-holdtime … # queue-minutes',
  'at-tone-time-exactly … # digits/oclock',
  'vm-theperson … # # # vm-isonphone',
  'vm-theperson # # # … vm-isunavail',
  'vm-extension # # # … vm-isonphone',
  'privacy-to-blacklist-last-caller … # # # - # # # #',
  'followme/call-from … # # # - # # # #',
  'vm-from-phonenumber … # # # - # # # - # # # #',
  'vm-num-i-have … # # # - # # # #',
  '# # # - # # # - # # # #',
  '# # - # # - # # - # #',
  '# # # # - # # # #',
] as const;

/** The turns of a speaker of telephone prompts. */
export async function turnsOfPrompts(voice: PromptVoice, counts: TurnCounts, seed: number): Promise<Turn[]> {
  const { speaker, prompts, otherTexts } = voice;
  // Subfolders contain digits, letters and similar recordings.
  const whole = [...prompts.values()].filter(({ name }) => !name.includes('/'));
  const maker = new TurnMaker(speaker, seed);
  if (!otherTexts) await maker.addSplit(whole, counts.split);
  await maker.addPhrases(prompts, counts.phrases);
  await maker.addWhole(whole, counts);
  return maker.turns;
}

/** The turns of an actor. */
export async function turnsOfDialogues(
  speaker: Speaker,
  recordings: readonly Recording[],
  counts: TurnCounts,
  seed: number,
): Promise<Turn[]> {
  const maker = new TurnMaker(speaker, seed);
  await maker.addSplit(recordings, counts.split + counts.phrases);
  await maker.addWhole(recordings, counts);
  return maker.turns;
}

class TurnMaker {
  readonly turns: Turn[] = [];
  readonly #speaker: Speaker;
  readonly #seed: number;

  constructor(speaker: Speaker, seed: number) {
    this.#speaker = speaker;
    this.#seed = seed;
  }

  /** Turns from recordings that end a sentence and have pauses at punctuation. */
  async addSplit(recordings: readonly Recording[], count: number): Promise<void> {
    const ends = recordings.filter(({ text }) => ENDS_SENTENCE.test(text));
    const order = this.#draws('split').shuffled(ends);
    // Sentences with a following sentence are more frequent in recordings than in users' turns.
    const [inSentence, between] = [/[,;:…]\s|\.\.\.\s/u, /[.!?]\s/u].map((mark) =>
      order.filter(({ text }) => mark.test(text)),
    );
    const mixed = [...(inSentence ?? []), ...(between ?? [])];
    const last = this.turns.length + count;
    for (const recording of new Set(mixed)) {
      if (this.turns.length >= last) return;
      const pieces = await splitRecording(recording);
      if (pieces && pieces.length > 1)
        this.#add((draws) => pieces.map((piece, i) => split(piece, i === pieces.length - 1, draws)));
    }
  }

  async addPhrases(prompts: ReadonlyMap<string, Recording>, count: number): Promise<void> {
    const possible = PHRASES.filter((phrase) =>
      phrase.split(' ').every((name) => /^[#…-]$/u.test(name) || prompts.has(name)),
    );
    for (let made = 0; made < count && possible.length > 0; made += 1) {
      const phrase = possible[made % possible.length] ?? '';
      const draws = this.#nextDraws();
      const parts: Part[] = [];
      for (const name of phrase.split(' ')) {
        const last = parts.at(-1);
        if (name === '…' || name === '-') {
          if (last)
            last.pause = { kind: name === '…' ? 'phrase' : 'number', durationMs: pauseDurationMs(draws) };
          continue;
        }
        const recording = prompts.get(name === '#' ? `digits/${1 + draws.index(9)}` : name);
        if (recording) parts.push(await wholePart(recording));
      }
      this.#push(parts);
    }
  }

  /** Turns of one complete recording, and of two. */
  async addWhole(recordings: readonly Recording[], { sentences, single }: TurnCounts): Promise<void> {
    const complete = recordings.filter(
      ({ text }) =>
        /^[¿¡]?\p{Lu}/u.test(text) && ENDS_SENTENCE.test(text) && text.split(/\s+/u).length >= MIN_WORDS,
    );
    const order = this.#draws('whole').shuffled(complete);
    const unsplit: Part[] = [];
    for (const recording of order) {
      if (unsplit.length >= 2 * sentences + single) break;
      // Pauses within the recording would have no label.
      const pieces = await splitRecording(recording);
      if (pieces?.length === 1) unsplit.push(await wholePart(recording));
    }
    for (let made = 0; made < sentences && unsplit.length > 1; made += 1) {
      const [first, second] = unsplit.splice(0, 2);
      if (first && second)
        this.#add((draws) => [
          { ...first, pause: { kind: 'sentence', durationMs: pauseDurationMs(draws) } },
          second,
        ]);
    }
    for (const part of unsplit.slice(0, single)) this.#push([part]);
  }

  #draws(purpose: string): Draws {
    return new Draws(this.#seed, `${this.#speaker.id} ${purpose}`);
  }

  get #nextId(): string {
    return `${this.#speaker.id}-${String(this.turns.length + 1).padStart(3, '0')}`;
  }

  #nextDraws(): Draws {
    return new Draws(this.#seed, this.#nextId);
  }

  #add(make: (draws: Draws) => readonly Part[]): void {
    this.#push(make(this.#nextDraws()));
  }

  #push(parts: readonly Part[]): void {
    this.turns.push({ id: this.#nextId, speaker: this.#speaker, parts });
  }
}

function split({ recording, extent, text }: Piece, isLast: boolean, draws: Draws): Part {
  const pause = isLast ? null : { kind: kindAfter(text), durationMs: pauseDurationMs(draws) };
  return { recording, extent, text, pause };
}

function kindAfter(text: string): PauseKind {
  if (FILLER.test(text)) return 'filler';
  if (/(?:…|\.\.\.)$/u.test(text)) return 'phrase';
  return ENDS_SENTENCE.test(text) ? 'sentence' : 'clause';
}

async function wholePart(recording: Recording): Promise<Part> {
  const extent = speechExtent(await readSpeech(recording), RATE_HZ, recording.speaker.floorDb);
  return { recording, extent, text: recording.text, pause: null };
}
