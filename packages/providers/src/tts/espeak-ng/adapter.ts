import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { createProgramTextToSpeech, type ProgramOptions } from '../program/program-text-to-speech.ts';
import { voiceForLanguage } from './voices.ts';
import { commandLine, ESPEAK_NG, errorOf, isSpeakable, parseSettings, plainText } from './wire.ts';

/**
 * espeak-ng, with one short-lived process per sentence, about 50 times faster than real time. Skips sentences without
 * letters and digits. If espeak-ng is not installed, every synthesis throws `unavailable`.
 */
export function createEspeakNg(options: ProgramOptions): TextToSpeech & AsyncDisposable {
  return createProgramTextToSpeech(
    {
      provider: ESPEAK_NG,
      defaultBinary: 'espeak-ng',
      output: 'pipe',
      errorOf,
      speaker({ voice, languageHint }) {
        const chosen = parseSettings(voice.settings);
        const args = commandLine({ ...chosen, voice: voiceForLanguage(chosen.voice, languageHint) });
        return (text) => (isSpeakable(text) ? [{ args, input: plainText(text) }] : []);
      },
    },
    options,
  );
}
