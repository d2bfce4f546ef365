import { join } from 'node:path';
import { ProviderError } from '@calls/conversation/ports/provider-error';

/** Names this adapter in errors; its key in the registry. */
export const POCKETSPHINX = 'pocketsphinx';

/** Where Debian's pocketsphinx-en-us puts its model. */
export const DEFAULT_MODEL_DIR = '/usr/share/pocketsphinx/model/en-us';

/** The file descriptor from which the STT process reads the audio. */
export const AUDIO_FD = 3;

/** What a model folder must hold. */
export function modelFiles(modelDir: string): { acoustic: string; language: string; dictionary: string } {
  return {
    acoustic: join(modelDir, 'en-us'),
    language: join(modelDir, 'en-us.lm.bin'),
    dictionary: join(modelDir, 'cmudict-en-us.dict'),
  };
}

/**
 * pocketsphinx_batch behind `cat`: it reopens its list of utterances by name, which a pipe allows and Node's socket does not.
 * It yields to live audio (`nice`). It alone holds standard error, whose end is therefore its own; the shell ignores the TERM
 * that ends both, to collect them and to pass on the exit code, 127 where there is no such program.
 */
const SCRIPT = `
exec 4>&2 5<&0 2>/dev/null
cat <&5 4>&- 5<&- | nice -n 5 "$@" 2>&4 4>&- 5<&- &
trap '' TERM
exec 4>&- 5<&-
wait $!`;

/**
 * How far the search is pruned: with how many states and words it goes on after each frame. Chosen on human speech
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

/** One line of the list of utterances: the whole file under AUDIO_FD, named `utteranceId`. */
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

/** Words only, in lower case: no `<s>`, no `[NOISE]`, no mark of an alternative pronunciation. */
export function plainWords(hypothesis: string): string {
  return hypothesis
    .split(/\s+/)
    .filter((word) => word !== '' && !/^(?:<.*>|\[.*\]|\+\+.*\+\+)$/.test(word))
    .map((word) => word.replace(/\(\d+\)$/, '').toLowerCase())
    .join(' ');
}

/** The engine knows English only. */
export function isEnglish(languageHint: string | null): boolean {
  return languageHint === null || /^en(?:$|[-_])/i.test(languageHint);
}

/** `what` is the program or the files that were looked for. */
export function notInstalled(what: string): ProviderError {
  const hint = 'on Debian: apt-get install pocketsphinx pocketsphinx-en-us';
  return new ProviderError(POCKETSPHINX, 'unavailable', `${what} not found (${hint})`);
}
