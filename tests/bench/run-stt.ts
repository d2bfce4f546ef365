import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createPocketsphinx } from '@calls/providers/stt/pocketsphinx/adapter';
import { humanSentences, type HumanSentence } from '@calls/testkit/speech/human-voice';
import { wordErrorRate } from '@calls/foundation/word-error-rate';

export const RATE_HZ = 16_000;
/** Longer than the transcription of any sentence, even on a busy machine. */
const AMPLE_MS = 120_000;

export const SERVICE_SETTINGS = '-maxhmmpf 6000 -maxwpf 5';
/** Default settings to compare. */
const COMPARED = [
  SERVICE_SETTINGS,
  '-maxhmmpf 3000 -maxwpf 5',
  '-maxhmmpf 30000 -maxwpf -1',
  '-maxhmmpf 6000 -maxwpf 20',
  '-maxhmmpf 6000 -maxwpf 5 -beam 1e-40 -pbeam 1e-40',
  '-maxhmmpf 6000 -maxwpf 5 -ds 2',
  '-maxhmmpf 6000 -maxwpf 5 -topn 2',
];

export interface SpeechToTextFigures {
  settings: string;
  /** Word errors relative to the number of words. */
  wordErrorRate: number;
  /** CPU time relative to the duration of the speech. */
  cpuPart: number;
}

/** Transcribes human sentences with each setting. Word errors depend only on the setting; CPU time also on the machine. */
export async function benchSpeechToText(
  compared: readonly string[],
  say: (line: string) => void,
): Promise<SpeechToTextFigures[]> {
  const sentences = await humanSentences();
  const figures: SpeechToTextFigures[] = [];
  say('| settings | word errors | processor time per second of speech |');
  say('| --- | ---: | ---: |');
  for (const settings of compared.length > 0 ? compared : COMPARED) {
    const measured = await measureSpeechToText(settings, sentences);
    figures.push(measured);
    const words = `${(measured.wordErrorRate * 100).toFixed(1)} %`;
    say(`| \`${settings}\` | ${words} | ${measured.cpuPart.toFixed(2)} s |`);
  }
  return figures;
}

export async function measureSpeechToText(
  settings: string,
  sentences: readonly HumanSentence[],
): Promise<SpeechToTextFigures> {
  let cpuMs = 0;
  await using engine = createPocketsphinx({
    settings: settings.split(' '),
    onWork: (spentMs) => {
      cpuMs += spentMs;
    },
    processes: 1,
    timeoutMs: AMPLE_MS,
    clock: systemClock,
    log: silentLogger,
  });
  const recognised: string[] = [];
  for (const { samples } of sentences) {
    const stream = engine.open({ languageHint: 'en-US' }, AbortSignal.timeout(AMPLE_MS));
    stream.push(samples);
    recognised.push((await stream.finalize()).text);
    stream.close();
  }
  const said = sentences.map(({ text }) => text).join(' ');
  const speechMs = sentences.reduce((sum, { samples }) => sum + (samples.length * 1000) / RATE_HZ, 0);
  return {
    settings,
    wordErrorRate: wordErrorRate(said, recognised.join(' ')),
    cpuPart: cpuMs / speechMs,
  };
}
