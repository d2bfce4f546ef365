import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackedPackage } from './debian-package.ts';
import type { Recording, Speaker } from './recording.ts';

interface PromptPackage {
  speaker: Speaker;
  package: string;
  /** Folder of the recordings, below `usr/share/asterisk/sounds`. */
  folder: string;
  extension: 'g722' | 'gsm' | 'wav';
  /** Whether the texts are those of another speaker's prompts of the same names. */
  otherTexts: boolean;
}

/** Noise floor of a quiet studio. */
const STUDIO_FLOOR_DB = 25;

const PACKAGES: readonly PromptPackage[] = [
  core('en', 'allison', 'en_US_f_Allison', 'held-out'),
  core('es', 'allison', 'es_MX_f_Allison', 'held-out'),
  core('ru', 'ivrvoice', 'ru_RU_f_IvrvoiceRU', 'held-out'),
  core('fr', 'june', 'fr_CA_f_June', 'tuning'),
  core('it', 'carlo', 'it_IT_m_Carlo', 'tuning'),
  {
    speaker: { id: 'es-july', person: 'july', language: 'es', set: 'tuning', floorDb: 20 },
    package: 'asterisk-prompt-es-co',
    folder: 'es',
    extension: 'gsm',
    otherTexts: true,
  },
  {
    speaker: { id: 'fr-armelle', person: 'armelle', language: 'fr', set: 'held-out', floorDb: 20 },
    package: 'asterisk-prompt-fr-armelle',
    folder: 'fr',
    extension: 'gsm',
    otherTexts: true,
  },
  {
    speaker: {
      id: 'it-menardi',
      person: 'menardi',
      language: 'it',
      set: 'held-out',
      floorDb: 20,
    },
    package: 'asterisk-prompt-it-menardi-wav',
    folder: 'it_IT_f_Menardi',
    extension: 'wav',
    otherTexts: true,
  },
];

function core(language: string, person: string, folder: string, set: Speaker['set']): PromptPackage {
  return {
    speaker: { id: `${language}-${person}`, person, language, set, floorDb: STUDIO_FLOOR_DB },
    package: `asterisk-core-sounds-${language}-g722`,
    folder,
    extension: 'g722',
    otherTexts: false,
  };
}

/** A speaker's prompts by name (`vm-youhave`, `digits/1`). */
export interface PromptVoice {
  speaker: Speaker;
  /** Whether the texts may differ from the recordings. */
  otherTexts: boolean;
  prompts: ReadonlyMap<string, Recording>;
}

/** The speakers of telephone prompts in Debian packages, with the texts that the packages contain. */
export async function promptVoices(): Promise<PromptVoice[]> {
  return Promise.all(PACKAGES.map(readVoice));
}

async function readVoice({
  speaker,
  package: name,
  folder,
  extension,
  otherTexts,
}: PromptPackage): Promise<PromptVoice> {
  const root = join(await unpackedPackage(name), 'usr/share/asterisk/sounds', folder);
  const texts = await promptTexts(speaker.language);
  const files = await readdir(root, { recursive: true });
  const prompts = files
    .filter((file) => file.endsWith(`.${extension}`))
    .map((file) => file.slice(0, -extension.length - 1))
    .toSorted()
    .flatMap((prompt): [string, Recording][] => {
      const text = texts.get(prompt);
      if (text === undefined) return [];
      return [[prompt, { name: prompt, speaker, text, path: join(root, `${prompt}.${extension}`) }]];
    });
  return { speaker, otherTexts, prompts: new Map(prompts) };
}

/** Parses lines like `vm-youhave: you have`. Notes in brackets, such as descriptions of tones, are not speech. */
async function promptTexts(language: string): Promise<ReadonlyMap<string, string>> {
  const name = `asterisk-core-sounds-${language}`;
  const file = join(await unpackedPackage(name), `usr/share/doc/${name}/core-sounds-${language}.txt.gz`);
  const lines = gunzipSync(await readFile(file))
    .toString('utf8')
    .matchAll(/^(?<name>[\w/-]+):\s*(?<text>.+)$/gm);
  return new Map(
    [...lines].flatMap(({ groups }): [string, string][] => {
      const text = groups?.['text']?.trim() ?? '';
      return /[[\]<>()]/u.test(text) ? [] : [[groups?.['name'] ?? '', text]];
    }),
  );
}
