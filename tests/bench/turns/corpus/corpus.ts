import { concatSamples } from '@calls/audio/pcm';
import { babbleOf } from '@calls/testkit/speech/shaping';
import { promptVoices } from '../recordings/asterisk-prompts.ts';
import { unpackedPackage } from '../recordings/debian-package.ts';
import { fishDialogues } from '../recordings/fish-dialogues.ts';
import { RATE_HZ, readDecoded, readSpeech } from '../recordings/read-recording.ts';
import type { TurnSet } from '../recordings/recording.ts';
import { CHANNELS, type Backgrounds, type Channel } from './channels.ts';
import { turnsOfDialogues, turnsOfPrompts, type TurnCounts } from './make-turns.ts';
import type { TurnCase } from './turn-case.ts';
import type { Turn } from './turn.ts';
import { join } from 'node:path';

export const SEED = 18;

/** Channels besides the clean one. Each turn is transmitted over two of them, in rotation. */
const OTHER_CHANNELS = CHANNELS.filter((channel) => channel !== 'clean');
const BABBLE_MS = 30_000;
const BABBLE_VOICES = 4;
const BACKGROUND_SPEECHES = 12;

const MUSIC: Readonly<Record<TurnSet, string>> = {
  tuning: 'macroform-cold_day.g722',
  'held-out': 'manolo_camp-morning_coffee.g722',
};

/** All turns of a set, in order. `scale`: fraction of the turns per speaker, 1 for the published figures. */
export async function turnsOf(set: TurnSet, scale: number): Promise<Turn[]> {
  const counts: TurnCounts = {
    split: Math.ceil(28 * scale),
    phrases: Math.ceil(28 * scale),
    sentences: Math.ceil(6 * scale),
    single: Math.ceil(12 * scale),
  };
  const voices = (await promptVoices()).filter(({ speaker }) => speaker.set === set);
  const dialogues = Map.groupBy(
    (await fishDialogues()).filter(({ speaker }) => speaker.set === set),
    ({ speaker }) => speaker.id,
  );
  const turns: Turn[] = [];
  for (const voice of voices) turns.push(...(await turnsOfPrompts(voice, counts, SEED)));
  for (const [first, ...others] of dialogues.values())
    if (first) turns.push(...(await turnsOfDialogues(first.speaker, [first, ...others], counts, SEED)));
  return turns;
}

/** Cases for each turn: on the clean channel and on two others. */
export function casesOf(turns: readonly Turn[]): TurnCase[] {
  return turns.flatMap((turn, i) => {
    const other = (by: number): Channel => OTHER_CHANNELS[(2 * i + by) % OTHER_CHANNELS.length] ?? 'clean';
    return (['clean', other(0), other(1)] as const).map((channel) => ({
      id: `${turn.id}-${channel}`,
      turn,
      channel,
    }));
  });
}

/** Background sounds of a set: other recordings of the set's speakers, and music. */
export async function backgroundsOf(set: TurnSet, turns: readonly Turn[]): Promise<Backgrounds> {
  const bySpeaker = [...Map.groupBy(turns, ({ speaker }) => speaker.id).values()];
  const speeches = await Promise.all(bySpeaker.map((own) => speechOf(own.slice(0, BACKGROUND_SPEECHES))));
  const music = join(
    await unpackedPackage('asterisk-moh-opsound-g722'),
    'usr/share/asterisk/moh',
    MUSIC[set],
  );
  return {
    babble: babbleOf(speeches.slice(0, BABBLE_VOICES), BABBLE_MS, RATE_HZ),
    speaker: speeches.at(-1) ?? new Int16Array(RATE_HZ),
    music: await readDecoded(music),
  };
}

async function speechOf(turns: readonly Turn[]): Promise<Int16Array> {
  const recordings = new Set(turns.flatMap(({ parts }) => parts.map(({ recording }) => recording)));
  return concatSamples(await Promise.all([...recordings].map(readSpeech)));
}
