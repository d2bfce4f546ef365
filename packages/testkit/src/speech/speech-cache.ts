import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@calls/foundation/ids';
import { encodeWav, parseWav, type WavAudio } from '@calls/audio/wav';

const CACHE_DIR = join(import.meta.dirname, '../../../../.cache/speech');

/** Returns the cached result of `make` for `recipe`, or creates it. Processes may share the cache. */
export async function cachedSpeech(recipe: object, make: () => Promise<WavAudio>): Promise<WavAudio> {
  const key = createHash('sha256').update(JSON.stringify(recipe)).digest('hex');
  const path = join(CACHE_DIR, `${key}.wav`);
  const cached = await readFile(path).catch(() => undefined);
  if (cached) return parseWav(cached);
  const made = await make();
  await mkdir(CACHE_DIR, { recursive: true });
  const unfinished = `${path}.${newId()}`;
  await writeFile(unfinished, encodeWav(made.samples, made.sampleRateHz));
  await rename(unfinished, path);
  return made;
}
