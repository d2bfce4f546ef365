import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { createProgramTextToSpeech, type ProgramOptions } from '../program/program-text-to-speech.ts';
import { DEFAULT_ESPEAK_SETTINGS } from '../espeak-ng/voices.ts';
import { ESPEAK_NG } from '../espeak-ng/wire.ts';
import { englishText, partsOf } from './english-text.ts';
import { LevelNormalizer } from './level-normalizer.ts';
import { espeakVoiceFor, FLITE } from './voices.ts';
import { commandLine, errorOf, parseSettings } from './wire.ts';

export interface FliteOptions extends ProgramOptions {
  /** espeak-ng, which speaks other languages. */
  otherLanguages: TextToSpeech;
}

/**
 * flite, for English, with one short-lived process per sentence, about 40 times faster than real time. Skips sentences
 * without Latin letters and digits. If flite is not installed, every synthesis throws `unavailable`.
 */
export function createFlite({ otherLanguages, ...options }: FliteOptions): TextToSpeech & AsyncDisposable {
  const english = createProgramTextToSpeech(
    {
      provider: FLITE,
      defaultBinary: 'flite',
      output: 'file',
      filter: () => new LevelNormalizer(),
      errorOf,
      speaker({ voice }) {
        const args = commandLine(parseSettings(voice.settings));
        return (text) => partsOf(englishText(text)).map((part) => ({ args, input: `${part}\n` }));
      },
    },
    options,
  );
  return {
    synthesize(sentences, synthesis, signal) {
      const voice = espeakVoiceFor(synthesis.languageHint);
      if (voice === null) return english.synthesize(sentences, synthesis, signal);
      const settings = { ...DEFAULT_ESPEAK_SETTINGS, voice };
      const spoken = { ...synthesis, voice: { engine: ESPEAK_NG, settings } };
      return otherLanguages.synthesize(sentences, spoken, signal);
    },
    [Symbol.asyncDispose]: () => english[Symbol.asyncDispose](),
  };
}
