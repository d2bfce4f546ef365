import { setImmediate as nextTurn } from 'node:timers/promises';
import { brownNoise, pinkNoise } from '@calls/audio/noise';
import { concatSamples, samplesFromMs, seamlessLoop } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import type { BackgroundClipName } from '@calls/api-contract/rest/call-setting-values';

/** What is longer is cut off there. */
export const MAX_CLIP_MS = 60_000;
/** How long the end of a clip fades into its beginning. */
const FADE_MS = 200;

/** A stretch of a clip; all of one clip have the same rate. */
export interface ClipPiece {
  samples: Int16Array;
  sampleRateHz: number;
}

/** What the pieces make at another rate, to be played over and over. Takes no more of them than it needs. */
export async function loopOf(pieces: AsyncIterable<ClipPiece>, sampleRateHz: number): Promise<Int16Array> {
  const maxSamples = samplesFromMs(MAX_CLIP_MS, sampleRateHz);
  const parts: Int16Array[] = [];
  let samples = 0;
  let resampler: ReturnType<typeof createResampler> | null = null;
  const keep = (part: Int16Array): void => {
    const used = part.subarray(0, maxSamples - samples);
    parts.push(used);
    samples += used.length;
  };
  try {
    for await (const piece of pieces) {
      resampler ??= createResampler(piece.sampleRateHz, sampleRateHz);
      keep(resampler.process(piece.samples));
      if (samples === maxSamples) break;
    }
    if (resampler) keep(resampler.flush());
  } finally {
    resampler?.close();
  }
  return seamlessLoop(concatSamples(parts), samplesFromMs(FADE_MS, sampleRateHz));
}

const NOISE_RATE_HZ = 16_000;
const NOISE_MS = 10_000;
const PIECE_SAMPLES = NOISE_RATE_HZ;
const SEED = 20_040;

/** As loud as each is at full volume; speech is some -20 dBFS. */
const NOISES: Record<BackgroundClipName, (sampleCount: number) => Int16Array> = {
  comfort_noise: (sampleCount) => pinkNoise(sampleCount, -48, SEED),
  pink_noise: (sampleCount) => pinkNoise(sampleCount, -30, SEED),
  brown_noise: (sampleCount) => brownNoise(sampleCount, -30, SEED),
};

/** The same at each time. Other work gets its turn between the pieces. */
export async function* noisePieces(name: BackgroundClipName): AsyncGenerator<ClipPiece, void, undefined> {
  const samples = NOISES[name](samplesFromMs(NOISE_MS, NOISE_RATE_HZ));
  for (let start = 0; start < samples.length; start += PIECE_SAMPLES) {
    await nextTurn();
    yield { samples: samples.subarray(start, start + PIECE_SAMPLES), sampleRateHz: NOISE_RATE_HZ };
  }
}
