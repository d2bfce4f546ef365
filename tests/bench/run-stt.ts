import { concatSamples, msFromSamples } from '@calls/audio/pcm';
import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { createMoonshine } from '@calls/providers/stt/moonshine/adapter';
import { humanSentences, type HumanSentence } from '@calls/testkit/speech/human-voice';
import { withSilence } from '@calls/testkit/speech/shaping';
import { markdownTable } from '../support/markdown-table.ts';
import { throughChannel, type Channel } from './turns/corpus/channels.ts';
import { Draws } from './turns/corpus/random.ts';
import { promptVoices } from './turns/recordings/asterisk-prompts.ts';
import { readSpeech } from './turns/recordings/read-recording.ts';

/** Longer than the transcription of any sentence, even on a busy machine. */
const AMPLE_MS = 120_000;
/** Silence around an utterance, as in a call. */
const AROUND = { beforeMs: 300, afterMs: 130, sampleRateHz: SPEECH_RATE_HZ };
const CHANNELS: readonly Channel[] = ['clean', 'phone', 'noise-20', 'noise-10'];
const SPEAKER = 'en-allison';
const SEED = 1;

export interface SpeechToTextFigures {
  /** Word errors relative to the number of words. */
  wordErrorRate: number;
  /** Share of the sentences without any recognized word. */
  emptyPart: number;
  /** CPU time relative to the duration of the speech. */
  cpuPart: number;
}

/** The figures of a set of recordings on a channel. */
export interface ChannelFigures extends SpeechToTextFigures {
  recordings: string;
  words: number;
  channel: Channel;
}

/**
 * Transcribes recordings of people with the embedded engine, on several channels. Word errors depend only on the
 * recordings; CPU time also on the machine.
 */
export async function benchSpeechToText(say: (line: string) => void): Promise<ChannelFigures[]> {
  const prompts = await promptSentences();
  const sets: Record<string, readonly HumanSentence[]> = {
    'sentences of several people': await humanSentences(),
    'phrases and sentences of a prompt speaker': prompts.filter(({ text }) => text.includes(' ')),
    'single words of the same': prompts.filter(({ text }) => !text.includes(' ')),
  };
  const figures: ChannelFigures[] = [];
  for (const [recordings, sentences] of Object.entries(sets)) {
    const words = sentences.reduce((sum, { text }) => sum + text.split(' ').length, 0);
    for (const channel of CHANNELS) {
      say(`${recordings}, ${channel}`);
      const draws = new Draws(SEED, channel);
      const backgrounds = { babble: new Int16Array(), music: new Int16Array(), speaker: new Int16Array() };
      const received = sentences.map(({ text, samples }) => ({
        text,
        samples: throughChannel(withSilence(samples, AROUND), channel, backgrounds, draws),
      }));
      figures.push({ recordings, words, channel, ...(await measureSpeechToText(received)) });
    }
  }
  return figures;
}

export function speechToTextTable(figures: readonly ChannelFigures[]): string {
  const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
  const rows = figures.map(({ recordings, channel, words, wordErrorRate: errors, emptyPart, cpuPart }) => [
    ...[recordings, channel, String(words), percent(errors), percent(emptyPart), `${cpuPart.toFixed(3)} s`],
  ]);
  const header = [
    'recordings',
    'channel',
    'words',
    'word errors',
    'without words',
    'processor time per second',
  ];
  return markdownTable(header, rows, 2);
}

/** Prompts whose texts have letters only; digits and symbols may be written in several ways. */
async function promptSentences(): Promise<HumanSentence[]> {
  const voice = (await promptVoices()).find(({ speaker }) => speaker.id === SPEAKER);
  if (!voice) throw new Error(`there are no prompts of ${SPEAKER}`);
  const recordings = [...voice.prompts.values()].filter(({ text }) => /^[a-z][a-z ,.'!?-]*$/i.test(text));
  return Promise.all(
    recordings.map(async (recording) => ({
      text: recording.text.trim().replaceAll(/\s+/g, ' '),
      samples: await readSpeech(recording),
    })),
  );
}

export async function measureSpeechToText(sentences: readonly HumanSentence[]): Promise<SpeechToTextFigures> {
  let cpuMs = 0;
  await using engine = createMoonshine({
    onWork: (spentMs) => {
      cpuMs += spentMs;
    },
    timeoutMs: AMPLE_MS,
    clock: systemClock,
    log: silentLogger,
  });
  const recognized: string[] = [];
  for (const { samples } of sentences) {
    const stream = engine.open({ languageHint: 'en-US' }, AbortSignal.timeout(AMPLE_MS));
    stream.push(samples);
    recognized.push((await stream.finalize()).text);
    stream.close();
  }
  const said = sentences.map(({ text }) => text).join(' ');
  const speechMs = msFromSamples(
    concatSamples(sentences.map(({ samples }) => samples)).length,
    SPEECH_RATE_HZ,
  );
  return {
    wordErrorRate: wordErrorRate(said, recognized.join(' ')),
    emptyPart: recognized.filter((text) => text === '').length / sentences.length,
    cpuPart: cpuMs / speechMs,
  };
}
