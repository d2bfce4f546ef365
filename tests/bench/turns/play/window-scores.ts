import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesFromSamples } from '@calls/audio/pcm';
import { VAD_WINDOW_SAMPLES, type VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { newId } from '@calls/foundation/ids';

const CACHE_DIR = join(import.meta.dirname, '../../../../.cache/recordings/scores');
/** Less than the engine's limit of waiting windows. */
const WINDOWS_AT_ONCE = 64;

/** The speech probability of each complete window of 16 kHz audio. Cached by the audio. */
export async function windowScores(engine: VoiceActivityEngine, samples: Int16Array): Promise<Float32Array> {
  const key = createHash('sha256').update(bytesFromSamples(samples)).digest('hex');
  const path = join(CACHE_DIR, `${key}.f32`);
  const known = await readFile(path).catch(() => undefined);
  if (known)
    return new Float32Array(known.buffer.slice(known.byteOffset, known.byteOffset + known.byteLength));
  const scores = await score(engine, samples);
  await mkdir(CACHE_DIR, { recursive: true });
  const unfinished = `${path}.${newId()}`;
  await writeFile(unfinished, new Uint8Array(scores.buffer));
  await rename(unfinished, path);
  return scores;
}

async function score(engine: VoiceActivityEngine, samples: Int16Array): Promise<Float32Array> {
  const scores = new Float32Array(Math.floor(samples.length / VAD_WINDOW_SAMPLES));
  const detector = engine.createDetector();
  for (let from = 0; from < scores.length; from += WINDOWS_AT_ONCE) {
    const windows = Math.min(WINDOWS_AT_ONCE, scores.length - from);
    const found = await Promise.all(
      Array.from({ length: windows }, (_, i) => {
        const start = (from + i) * VAD_WINDOW_SAMPLES;
        return detector.push(samples.subarray(start, start + VAD_WINDOW_SAMPLES));
      }),
    );
    scores.set(found, from);
  }
  detector.close();
  return scores;
}
