import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { G722_RATE_HZ, G722Decoder } from '@calls/audio/g722';
import { bytesFromSamples, levelDbfs, samplesFromBytes } from '@calls/audio/pcm';
import { newId } from '@calls/foundation/ids';
import { activeLevelDbfs } from '@calls/testkit/speech/active-extent';
import { decodeWithSox } from '@calls/testkit/speech/decode-with-sox';
import { atLevel } from '@calls/testkit/speech/shaping';
import type { Recording } from './recording.ts';
import { speechExtent } from './speech-extents.ts';

/** Sample rate of all audio of the benchmark, equal to that of the VAD and of G.722. */
export const RATE_HZ = G722_RATE_HZ;
const SAMPLES_PER_MS = RATE_HZ / 1000;
/** Duration of the silence that remains around the speech. */
const LEAD_MS = 40;
const TAIL_MS = 250;
/** Level of all speakers while they speak. */
export const SPEECH_LEVEL_DBFS = -26;

const CACHE_DIR = join(import.meta.dirname, '../../../../.cache/recordings/decoded');

/**
 * The speech of a recording: 16 kHz, at SPEECH_LEVEL_DBFS, with little of the silence around it. Decoded once and
 * cached in `.cache`.
 */
export async function readSpeech({ path, speaker }: Recording): Promise<Int16Array> {
  const decoded = await readDecoded(path);
  const { startMs, endMs } = speechExtent(decoded, RATE_HZ, speaker.floorDb);
  const speech = decoded.subarray(
    Math.max(0, startMs - LEAD_MS) * SAMPLES_PER_MS,
    (endMs + TAIL_MS) * SAMPLES_PER_MS,
  );
  const gainDb = SPEECH_LEVEL_DBFS - activeLevelDbfs(speech, RATE_HZ);
  return atLevel(speech, levelDbfs(speech) + gainDb);
}

/** A whole recording at 16 kHz. */
export async function readDecoded(path: string): Promise<Int16Array> {
  const cached = join(CACHE_DIR, `${createHash('sha256').update(path).digest('hex')}.pcm`);
  const known = await readFile(cached).catch(() => undefined);
  if (known) return samplesFromBytes(known);
  const samples = path.endsWith('.g722') ? await decodeG722(path) : await decodeWithSox(path, RATE_HZ);
  await mkdir(CACHE_DIR, { recursive: true });
  const unfinished = `${cached}.${newId()}`;
  await writeFile(unfinished, bytesFromSamples(samples));
  await rename(unfinished, cached);
  return samples;
}

async function decodeG722(path: string): Promise<Int16Array> {
  return new G722Decoder().decode(await readFile(path));
}
