import { join } from 'node:path';
import { pinkNoise } from '@calls/audio/noise';
import { concatSamples, samplesFromMs } from '@calls/audio/pcm';
import { isBackchannel } from '@calls/conversation/turn/transcript/backchannel';
import { atLevel, babbleOf, cough, silence } from '@calls/testkit/speech/shaping';
import { unpackedPackage } from '../turns/recordings/debian-package.ts';
import { promptVoices } from '../turns/recordings/asterisk-prompts.ts';
import { fishDialogues } from '../turns/recordings/fish-dialogues.ts';
import { RATE_HZ, readDecoded, readSpeech, SPEECH_LEVEL_DBFS } from '../turns/recordings/read-recording.ts';
import type { Recording, TurnSet } from '../turns/recordings/recording.ts';
import { Draws } from '../turns/corpus/random.ts';

/** What the microphone receives while the agent speaks. */
export const OVERLAP_KINDS = [
  'sentence',
  'sentence, echo',
  'soft sentence',
  'word',
  'word, room echo',
  'sentence, babble',
  'backchannel',
  'sound',
  'background voice',
  'echo',
  'room echo',
  'babble',
] as const;
export type OverlapKind = (typeof OVERLAP_KINDS)[number];
const NO_INTERRUPTIONS = new Set<OverlapKind>([
  'backchannel',
  'sound',
  'background voice',
  'echo',
  'room echo',
  'babble',
]);

/** Whether the user takes the floor. */
export function isInterruption(kind: OverlapKind): boolean {
  return !NO_INTERRUPTIONS.has(kind);
}

export interface Echo {
  delayMs: number;
  /** Level of the echo below that of the agent's voice. */
  lossDb: number;
  /** Time in which the reverberation of the room decays by 60 dB; 0: there is none. */
  reverberationMs: number;
}

export interface OverlapCase {
  id: string;
  kind: OverlapKind;
  language: string;
  /** Candidates for the user's first turn, which the agent responds to. */
  questions: readonly Recording[];
  /** Recordings of one sentence each. None is a question, because "yes" would answer it. */
  response: readonly Recording[];
  /** Time from the first sound of the response to the beginning of `audio`. */
  afterMs: number;
  /** What the microphone receives during the response, at 16 kHz. */
  audio: () => Promise<Int16Array>;
  /** The transcript of `audio`; '' if it has no words. */
  words: string;
  echo: Echo | null;
  /** Sound in the microphone during the whole call, at 16 kHz. It is repeated. */
  background: Int16Array;
}

const SEED = 18;
const QUIET_ROOM = pinkNoise(RATE_HZ, SPEECH_LEVEL_DBFS - 45, 7);
const NOISY_ROOM = pinkNoise(RATE_HZ, SPEECH_LEVEL_DBFS - 15, 7);
/** Level of babble below the user's voice. */
const BABBLE_DB = 10;
const BABBLE_MS = 30_000;
const BABBLE_VOICES = 4;
const SENTENCES_OF_BABBLE_VOICE = 8;
/** Level of a person behind the user. The user is recorded at SPEECH_LEVEL_DBFS. */
const BACKGROUND_DB = 12;
/** Level of soft speech below SPEECH_LEVEL_DBFS, the level of the question. */
const SOFT_DB = 10;
/** Enough for a response of more than ten seconds. */
const RESPONSE_SENTENCES = 8;
/** The echo guard has ended by then, and later words do not count as the rest of the question. */
const AFTER_MS = { least: 2000, most: 4000 };
const ECHO_LEVELS_DB = [6, 12, 18, 24, 30];
/** Reverberation time of a furnished room. */
const REVERBERATION_MS = 400;
const ECHO_DELAYS_MS = [0, 50, 100, 150, 200, 250, 300, 350, 400];
/** Time from the beginning of the response during which the user is silent. */
const SILENT_USER_MS = 6000;
const SOUNDS = [
  'sp-impact_heavy_00',
  'sp-impact_heavy_01',
  'sp-impact_light_00',
  'sp-impact_light_01',
  'sp-bubles_00',
];

/** Names of recordings without sound. */
const SILENT = new Set(['elevator1/zd1-m-cesta', 'gems/zav-v-sto']);

/** Numbers of cases by kind, for each speaker or for all together. */
const COUNTS = {
  sentence: 8,
  word: 6,
  backchannelRepeats: 4,
  soundRepeats: 8,
  background: 40,
  echo: 1000,
  roomEcho: 250,
  babble: 80,
};

/** The cases of a set, in order. `scale`: fraction of the cases of each kind. */
export async function overlapCasesOf(set: TurnSet, scale: number): Promise<OverlapCase[]> {
  const prompts = (await promptVoices()).filter(
    ({ speaker, otherTexts }) => speaker.set === set && !otherTexts,
  );
  const recordings = [
    ...prompts.flatMap((voice) => [...voice.prompts.values()]),
    ...(await fishDialogues()).filter(({ speaker }) => speaker.set === set),
  ];
  const sentences = recordings.filter(isSentence);
  const maker = new CaseMaker(sentences);
  const soft: Recording[] = [];
  const words: Recording[] = [];
  const count = (of: number): number => Math.ceil(of * scale);
  for (const own of Map.groupBy(recordings, ({ speaker }) => speaker.id).values()) {
    const draws = new Draws(SEED, `overlap of ${own[0]?.speaker.id}`);
    const said = draws.shuffled(own.filter(isSentence)).slice(0, count(COUNTS.sentence));
    for (const each of said) maker.addSentence(each);
    soft.push(...said);
    const digits = draws.shuffled(own.filter(isDigit)).slice(0, count(COUNTS.word));
    for (const each of digits) maker.add('word', each);
    words.push(...digits);
    for (const each of own.filter(isAcknowledgement))
      for (let i = 0; i < count(COUNTS.backchannelRepeats); i += 1) maker.add('backchannel', each);
  }
  for (let i = 0; i < count(COUNTS.soundRepeats); i += 1) {
    maker.addSound('sound', () => Promise.resolve(cough(RATE_HZ)));
    for (const name of SOUNDS) maker.addSound('sound', () => sound(name));
  }
  for (let i = 0; i < count(COUNTS.background); i += 1) maker.addBackgroundVoice();
  for (let i = 0; i < count(COUNTS.echo); i += 1) maker.addEcho(i);
  for (const each of soft) maker.addSoftSentence(each);
  for (let i = 0; i < count(COUNTS.roomEcho); i += 1) maker.addEcho(i, REVERBERATION_MS);
  for (const each of words) maker.addWordOverRoomEcho(each);
  const babble = await babbleOfSet(sentences);
  for (const each of soft) maker.addSentenceInBabble(each, babble);
  for (let i = 0; i < count(COUNTS.babble); i += 1) maker.addBabble(babble);
  return maker.cases;
}

/** All speakers of the set at once. */
async function babbleOfSet(sentences: readonly Recording[]): Promise<Int16Array> {
  const voices = [...Map.groupBy(sentences, ({ speaker }) => speaker.id).values()].slice(0, BABBLE_VOICES);
  const speeches = voices.map(async (own) =>
    concatSamples(await Promise.all(own.slice(0, SENTENCES_OF_BABBLE_VOICE).map(readSpeech))),
  );
  const babble = babbleOf(await Promise.all(speeches), BABBLE_MS, RATE_HZ);
  return atLevel(babble, SPEECH_LEVEL_DBFS - BABBLE_DB);
}

/** A recording of one sentence. */
function isSentence({ name, text }: Recording): boolean {
  return !SILENT.has(name) && /^[¿¡]?\p{Lu}[^.!?;:…]*[.!?]$/u.test(text) && text.split(/\s+/u).length >= 4;
}

function isDigit({ name }: Recording): boolean {
  return /^digits\/[1-9]$/u.test(name);
}

function isAcknowledgement({ text, speaker }: Recording): boolean {
  return text.length > 1 && !/^oh$/u.test(text) && isBackchannel(text, speaker.language);
}

class CaseMaker {
  readonly cases: OverlapCase[] = [];
  readonly #sentences: readonly Recording[];

  constructor(sentences: readonly Recording[]) {
    this.#sentences = sentences;
  }

  add(kind: OverlapKind, recording: Recording, echo: Echo | null = null): void {
    const { language, person } = recording.speaker;
    this.#push(kind, language, person, {
      audio: () => readSpeech(recording),
      words: recording.text,
      echo,
    });
  }

  /** Adds a sentence twice: alone, and over an echo. */
  addSentence(recording: Recording): void {
    this.add('sentence', recording);
    this.add('sentence, echo', recording, this.#echoOf(this.cases.length));
  }

  addWordOverRoomEcho(recording: Recording): void {
    this.add('word, room echo', recording, this.#echoOf(this.cases.length, REVERBERATION_MS));
  }

  /** Adds a sentence of a user who has moved away from the microphone. */
  addSoftSentence(recording: Recording): void {
    const { language, person } = recording.speaker;
    const audio = async (): Promise<Int16Array> =>
      atLevel(await readSpeech(recording), SPEECH_LEVEL_DBFS - SOFT_DB);
    this.#push('soft sentence', language, person, { audio, words: recording.text });
  }

  addSentenceInBabble(recording: Recording, babble: Int16Array): void {
    const { language, person } = recording.speaker;
    const audio = (): Promise<Int16Array> => readSpeech(recording);
    const background = this.#excerptOf(babble);
    this.#push('sentence, babble', language, person, { audio, words: recording.text, background });
  }

  /** Adds babble while the user only listens. */
  addBabble(babble: Int16Array): void {
    const { speaker } = this.#pick((draws) => draws.pick(this.#sentences));
    this.#push('babble', speaker.language, speaker.person, {
      audio: () => Promise.resolve(silence(SILENT_USER_MS, RATE_HZ)),
      words: '',
      afterMs: 0,
      background: this.#excerptOf(babble),
    });
  }

  /** Returns at least two thirds of the babble, from anywhere in its first third. */
  #excerptOf(babble: Int16Array): Int16Array {
    const fromMs = this.#pick((draws) => draws.index(BABBLE_MS / 3));
    return babble.subarray(samplesFromMs(fromMs, RATE_HZ));
  }

  addSound(kind: OverlapKind, audio: () => Promise<Int16Array>): void {
    const { speaker } = this.#pick((draws) => draws.pick(this.#sentences));
    this.#push(kind, speaker.language, speaker.person, { audio, words: '' });
  }

  /** Adds a person behind the user. Speech-to-text finds no words. */
  addBackgroundVoice(): void {
    const { speaker } = this.#pick((draws) => draws.pick(this.#sentences));
    const other = this.#pick((draws) =>
      draws.pick(this.#sentences.filter((each) => each.speaker.person !== speaker.person)),
    );
    const audio = async (): Promise<Int16Array> =>
      atLevel(await readSpeech(other), SPEECH_LEVEL_DBFS - BACKGROUND_DB);
    this.#push('background voice', speaker.language, speaker.person, { audio, words: '' });
  }

  addEcho(index: number, reverberationMs = 0): void {
    const { speaker } = this.#pick((draws) => draws.pick(this.#sentences));
    const kind = reverberationMs === 0 ? 'echo' : 'room echo';
    this.#push(kind, speaker.language, speaker.person, {
      audio: () => Promise.resolve(silence(SILENT_USER_MS, RATE_HZ)),
      words: '',
      afterMs: 0,
      echo: this.#echoOf(index, reverberationMs),
    });
  }

  #echoOf(index: number, reverberationMs = 0): Echo {
    return {
      reverberationMs,
      lossDb: ECHO_LEVELS_DB[index % ECHO_LEVELS_DB.length] ?? 0,
      delayMs: ECHO_DELAYS_MS[Math.floor(index / ECHO_LEVELS_DB.length) % ECHO_DELAYS_MS.length] ?? 0,
    };
  }

  #pick<T>(choose: (draws: Draws) => T | undefined): T {
    const chosen = choose(new Draws(SEED, `choice ${this.cases.length}`));
    if (chosen === undefined) throw new Error('the set has too few recordings');
    return chosen;
  }

  #push(
    kind: OverlapKind,
    language: string,
    person: string,
    said: Pick<OverlapCase, 'audio' | 'words'> & Partial<OverlapCase>,
  ): void {
    const id = `${kind.replaceAll(/\W+/gu, '-')}-${String(this.cases.length + 1).padStart(4, '0')}`;
    const draws = new Draws(SEED, id);
    const own = this.#sentences.filter(({ speaker }) => speaker.person === person);
    const agents = this.#sentences.filter(
      ({ speaker, text }) => speaker.person !== person && !text.endsWith('?'),
    );
    const agent = draws.pick(agents);
    const voice = agents.filter(({ speaker }) => speaker.id === agent?.speaker.id);
    this.cases.push({
      id,
      kind,
      language,
      questions: draws.shuffled(own),
      response: draws.shuffled(voice).slice(0, RESPONSE_SENTENCES),
      afterMs: AFTER_MS.least + draws.index(AFTER_MS.most - AFTER_MS.least),
      echo: null,
      background: this.cases.length % 2 === 0 ? QUIET_ROOM : NOISY_ROOM,
      ...said,
    });
  }
}

async function sound(name: string): Promise<Int16Array> {
  const root = await unpackedPackage('fillets-ng-data');
  const samples = await readDecoded(join(root, 'usr/share/games/fillets-ng/sound/share', `${name}.ogg`));
  return atLevel(samples, SPEECH_LEVEL_DBFS);
}
