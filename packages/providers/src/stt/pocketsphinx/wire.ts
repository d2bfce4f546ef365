import { join } from 'node:path';
import { ProviderError } from '@calls/engine-ports/provider-error';

/** Adapter name for errors, and key in the registry. */
export const POCKETSPHINX = 'pocketsphinx';

/** Location of Debian's pocketsphinx-en-us. */
export const DEFAULT_MODEL_DIR = '/usr/share/pocketsphinx/model/en-us';

/** The file descriptor from which the STT process reads the audio. */
export const AUDIO_FD = 3;

/** The required files of a model folder. */
export function modelFiles(modelDir: string): { acoustic: string; language: string; dictionary: string } {
  return {
    acoustic: join(modelDir, 'en-us'),
    language: join(modelDir, 'en-us.lm.bin'),
    dictionary: join(modelDir, 'cmudict-en-us.dict'),
  };
}

/**
 * Runs pocketsphinx_batch behind `cat`, because it reopens its list of utterances by name, which works for a pipe but
 * not for Node's socket. Runs with lower priority than live audio (`nice`). Only pocketsphinx holds standard error, so
 * its end is the end of pocketsphinx. The shell ignores the TERM that ends both; it waits for them and passes on the
 * exit code, 127 if the program is missing.
 */
const SCRIPT = `
exec 4>&2 5<&0 2>/dev/null
cat <&5 4>&- 5<&- | nice -n 5 "$@" 2>&4 4>&- 5<&- &
trap '' TERM
exec 4>&- 5<&-
wait $!`;

/**
 * Pruning of the search: how many states and words are continued after each frame. Chosen on human speech
 * (docs/internals/performance.md).
 */
export const SEARCH_SETTINGS: readonly string[] = ['-maxhmmpf', '6000', '-maxwpf', '5'];

/** Arguments for `/bin/sh`. */
export function shellArguments(
  binary: string,
  modelDir: string,
  settings: readonly string[] = SEARCH_SETTINGS,
): string[] {
  const { acoustic, language, dictionary } = modelFiles(modelDir);
  const model = ['-hmm', acoustic, '-lm', language, '-dict', dictionary];
  const input = ['-adcin', 'yes', '-ctl', '/dev/stdin', '-cepdir', '/proc/self/fd', '-cepext', ''];
  return ['-c', SCRIPT, 'sh', binary, ...model, ...input, ...settings, '-cmn', 'batch'];
}

/** One line of the list of utterances: the whole file at AUDIO_FD, named `utteranceId`. */
export function utteranceLine(utteranceId: string): string {
  return `${AUDIO_FD} 0 -1 ${utteranceId}\n`;
}

export type LogLine =
  | { type: 'hypothesis'; utteranceId: string; text: string }
  /** The STT process has released the audio and waits for the next utterance. */
  | { type: 'done'; utteranceId: string }
  /** Processor time that the utterance took. */
  | { type: 'cost'; utteranceId: string; cpuMs: number }
  | { type: 'error'; message: string }
  | { type: 'other' };

export function parseLogLine(line: string): LogLine {
  const hypothesis = /^(.*) \((u\d+) -?\d+\)$/.exec(line);
  if (hypothesis) {
    const [, text = '', utteranceId = ''] = hypothesis;
    return { type: 'hypothesis', utteranceId, text: plainWords(text) };
  }
  const done = /^(u\d+) done -+$/.exec(line);
  if (done) return { type: 'done', utteranceId: done[1] ?? '' };
  const cost = /: (u\d+): [\d.]+ seconds speech, ([\d.]+) seconds CPU/.exec(line);
  if (cost) return { type: 'cost', utteranceId: cost[1] ?? '', cpuMs: Number(cost[2]) * 1000 };
  const error = /^(?:ERROR|FATAL(?:_ERROR)?|SYSTEM_ERROR): (.*)$/.exec(line);
  return error ? { type: 'error', message: error[1] ?? '' } : { type: 'other' };
}

/** Lower-case words without `<s>`, `[NOISE]` and marks of alternative pronunciations. */
export function plainWords(hypothesis: string): string {
  return hypothesis
    .split(/\s+/)
    .filter((word) => word !== '' && !/^(?:<.*>|\[.*\]|\+\+.*\+\+)$/.test(word))
    .map((word) => word.replace(/\(\d+\)$/, '').toLowerCase())
    .join(' ');
}

/** The engine supports only English. */
export function isEnglish(languageHint: string | null): boolean {
  return languageHint === null || /^en(?:$|[-_])/i.test(languageHint);
}

/** `what`: the program or files that were not found. */
export function notInstalled(what: string): ProviderError {
  const hint = 'on Debian: apt-get install pocketsphinx pocketsphinx-en-us';
  return new ProviderError(POCKETSPHINX, 'unavailable', `${what} not found (${hint})`);
}
