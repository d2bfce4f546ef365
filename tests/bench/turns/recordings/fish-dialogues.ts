import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackedPackage } from './debian-package.ts';
import type { Recording, Speaker, TurnSet } from './recording.ts';

const GAME = 'usr/share/games/fillets-ng';
/** The two main characters, each spoken by one actor in each language. */
const CHARACTERS: readonly { font: string; name: string; set: TurnSet }[] = [
  { font: 'font_small', name: 'small', set: 'tuning' },
  { font: 'font_big', name: 'big', set: 'held-out' },
];
/** Noise floor of a room with long reverberation, in which the characters speak. */
const FLOOR_DB = 15;
const LANGUAGES = ['cs', 'nl'] as const;

const DIALOGUE = /dialogId\("(?<id>[^"]+)",\s*"(?<font>\w+)",[^\n]*\)\s*\n\s*dialogStr\("(?<text>[^"]+)"\)/gu;

/** Lines of the dialogues in the game Fish Fillets, with their texts: actors talk to each other. */
export async function fishDialogues(): Promise<Recording[]> {
  const all = await Promise.all(LANGUAGES.map(dialoguesIn));
  return all.flat();
}

async function dialoguesIn(language: (typeof LANGUAGES)[number]): Promise<Recording[]> {
  const scripts = join(await unpackedPackage('fillets-ng-data'), GAME, 'script');
  const sounds = join(await unpackedPackage(`fillets-ng-data-${language}`), GAME, 'sound');
  const speakers = new Map(
    CHARACTERS.map(({ font, name, set }): [string, Speaker] => {
      const id = `${language}-${name}`;
      return [font, { id, person: id, language, set, floorDb: FLOOR_DB }];
    }),
  );
  const recordings: Recording[] = [];
  for (const level of (await readdir(scripts)).toSorted()) {
    const script = join(scripts, level, `dialogs_${language}.lua`);
    if (!existsSync(script)) continue;
    for (const { groups } of (await readFile(script, 'utf8')).matchAll(DIALOGUE)) {
      const { id = '', font = '', text = '' } = groups ?? {};
      const speaker = speakers.get(font);
      const path = join(sounds, level, language, `${id}.ogg`);
      if (speaker && existsSync(path)) recordings.push({ name: `${level}/${id}`, speaker, text, path });
    }
  }
  return recordings;
}
