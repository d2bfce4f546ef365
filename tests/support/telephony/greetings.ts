import { decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { concatSamples } from '@calls/audio/pcm';
import { decodeWithSox } from '@calls/testkit/speech/decode-with-sox';
import { resample, silence, withNoise, withSilence } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';

const LINE_HZ = 8000;
/** Recordings in Debian's asterisk-core-sounds-*-gsm: one speaker per language. */
const SPEAKERS = {
  en: 'en_US_f_Allison',
  es: 'es_MX_f_Allison',
  fr: 'fr_CA_f_June',
  it: 'it_IT_m_Carlo',
  ru: 'ru_RU_f_IvrvoiceRU',
} as const;
type Language = keyof typeof SPEAKERS;
const LANGUAGES = Object.keys(SPEAKERS) as Language[];

/** Names of recordings, and pauses in milliseconds. */
const MACHINES: readonly (readonly (string | number)[])[] = [
  ['vm-theperson', 'digits/1', 'digits/2', 'digits/5', 'vm-isunavail', 250, 'vm-intro', 300, 'beep'],
  ['vm-theperson', 'digits/4', 'digits/0', 'vm-isonphone', 250, 'vm-intro', 300, 'beep'],
  ['vm-theperson', 'digits/9', 'vm-isunavail', 600, 'vm-intro', 300, 'beep'],
  ['vm-intro', 200, 'beep'],
  ['vm-theperson', 'digits/7', 'vm-isunavail', 250, 'vm-mailboxfull'],
];
/** The Spanish package does not contain `hello`. */
const HUMAN_RECORDINGS: Readonly<Record<Language, readonly string[]>> = {
  en: ['hello', 'hello-world'],
  es: ['hello-world'],
  fr: ['hello', 'hello-world'],
  it: ['hello', 'hello-world'],
  ru: ['hello', 'hello-world'],
};
const HUMAN_TEXTS: Readonly<Record<Language, readonly string[]>> = {
  en: ['Hello?', 'Yes?', 'Hello, this is Anna.', 'Smith speaking.', 'Hi, who is this?'],
  es: ['¿Hola?', '¿Diga?', '¿Sí, dígame?', 'Hola, soy Ana.', '¿Quién es?'],
  fr: ['Allô ?', 'Oui ?', 'Allô, oui ?', 'Bonjour, Anne Martin.', 'Qui est-ce ?'],
  it: ['Pronto?', 'Sì?', 'Pronto, chi parla?', 'Sì, mi dica.', 'Buongiorno, sono Anna.'],
  ru: ['Алло?', 'Да?', 'Да, слушаю.', 'Алло, кто это?', 'Слушаю вас.'],
};
const ESPEAK_VOICES: Readonly<Record<Language, readonly string[]>> = {
  en: ['en-us', 'en-gb'],
  es: ['es', 'es-419'],
  fr: ['fr', 'fr-be'],
  it: ['it', 'it+f3'],
  ru: ['ru', 'ru+f3'],
};
const FLITE_VOICES = ['slt', 'awb', 'rms', 'kal16'];

export interface Greeting {
  name: string;
  expected: 'human' | 'machine';
  /** Number of beeps after the greeting. */
  beeps: number;
  /** Loads the audio, at 8 kHz. */
  load(): Promise<Int16Array>;
}

/** Greetings of machines and short greetings of people, in five languages. */
export function greetings(): Greeting[] {
  const machines = LANGUAGES.flatMap((language) => MACHINES.map((parts) => machine(language, parts)));
  const recorded = LANGUAGES.flatMap((language) =>
    HUMAN_RECORDINGS[language].map((name) => human(`${language} ${name}`, () => recording(language, name))),
  );
  const synthetic = LANGUAGES.flatMap((language) =>
    ESPEAK_VOICES[language].flatMap((voice) => spoken('espeak-ng', voice, HUMAN_TEXTS[language])),
  );
  const english = FLITE_VOICES.flatMap((voice) => spoken('flite', voice, HUMAN_TEXTS.en));
  return [...machines, ...recorded, ...synthetic, ...english];
}

function machine(language: Language, parts: readonly (string | number)[]): Greeting {
  const load = async (): Promise<Int16Array> => {
    const sounds: Int16Array[] = [];
    for (const part of parts)
      sounds.push(typeof part === 'number' ? silence(part, LINE_HZ) : await recording(language, part));
    return concatSamples(sounds);
  };
  const beeps = parts.filter((part) => part === 'beep').length;
  return { name: `${language} ${parts.join(' ')}`, expected: 'machine', beeps, load };
}

function human(name: string, load: () => Promise<Int16Array>): Greeting {
  return { name, expected: 'human', beeps: 0, load };
}

function spoken(engine: 'espeak-ng' | 'flite', voice: string, texts: readonly string[]): Greeting[] {
  return texts.map((text) =>
    human(`${engine} ${voice} ${text}`, () => speak({ engine, voice, text, sampleRateHz: LINE_HZ })),
  );
}

const decoded = new Map<string, Promise<Int16Array>>();

/** Loads a recording at 8 kHz by its name in the package. */
export function recording(language: Language, name: string): Promise<Int16Array> {
  const path = `/usr/share/asterisk/sounds/${SPEAKERS[language]}/${name}.gsm`;
  const samples = decoded.get(path) ?? decodeWithSox(path, LINE_HZ);
  decoded.set(path, samples);
  return samples;
}

/** Time in the audio of `asCalled` at which the greeting begins. */
export const PICK_UP_MS = 500;

/** A greeting at 8 kHz as a call receives it: after half a second, with noise, coded with G.711 and resampled to 16 kHz. */
export function asCalled(samples: Int16Array, snrDb: number | null, seed: number): Int16Array {
  const padded = withSilence(samples, { beforeMs: PICK_UP_MS, afterMs: 2500, sampleRateHz: LINE_HZ });
  const noisy = snrDb === null ? padded : withNoise(padded, { snrDb, seed, sampleRateHz: LINE_HZ });
  return resample(decodeMuLaw(encodeMuLaw(noisy)), LINE_HZ, 16_000);
}
