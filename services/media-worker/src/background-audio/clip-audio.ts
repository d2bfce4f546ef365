import { setImmediate as nextTurn } from 'node:timers/promises';
import { brownNoise, pinkNoise } from '@calls/audio/noise';
import { concatSamples, samplesFromMs, seamlessLoop } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import type { BackgroundClipName } from '@calls/api-contract/rest/call-setting-values';

/** Longer clips are truncated. */
const MAX_CLIP_MS = 60_000;
/** Length of the cross-fade from the end of a clip to its start. */
const FADE_MS = 200;

/** A part of a clip. All parts have the same rate. */
export interface ClipPiece {
  samples: Int16Array;
  sampleRateHz: number;
}

/** Resamples the parts of a clip to a seamless loop. Reads no more parts than needed. */
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

/** Noises at full volume; speech is at about -20 dBFS. */
const NOISES: Record<BackgroundClipName, (sampleCount: number) => Int16Array> = {
  comfort_noise: (sampleCount) => pinkNoise(sampleCount, -48, SEED),
  pink_noise: (sampleCount) => pinkNoise(sampleCount, -30, SEED),
  brown_noise: (sampleCount) => brownNoise(sampleCount, -30, SEED),
};

/** Generates the same noise each time. Yields between the parts, so that other work can run. */
export async function* noisePieces(name: BackgroundClipName): AsyncGenerator<ClipPiece, void, undefined> {
  const samples = NOISES[name](samplesFromMs(NOISE_MS, NOISE_RATE_HZ));
  for (let start = 0; start < samples.length; start += PIECE_SAMPLES) {
    await nextTurn();
    yield { samples: samples.subarray(start, start + PIECE_SAMPLES), sampleRateHz: NOISE_RATE_HZ };
  }
}
