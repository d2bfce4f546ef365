import { pinkNoise } from '@calls/audio/noise';
import { clampToInt16, concatSamples, levelDbfs, samplesFromMs } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import { activeLevelDbfs } from './active-extent.ts';

export function silence(durationMs: number, sampleRateHz: number): Int16Array {
  return new Int16Array(samplesFromMs(durationMs, sampleRateHz));
}

/** A cough: two decaying bursts of noise. */
export function cough(sampleRateHz: number): Int16Array {
  const burst = pinkNoise(samplesFromMs(220, sampleRateHz), -14, 3).map((sample, i) =>
    Math.round(sample * Math.exp(-i / samplesFromMs(70, sampleRateHz))),
  );
  return concatSamples([burst, silence(120, sampleRateHz), burst]);
}

/** Pads a recording with digital silence. */
export function withSilence(
  samples: Int16Array,
  options: { beforeMs: number; afterMs: number; sampleRateHz: number },
): Int16Array {
  const { beforeMs, afterMs, sampleRateHz } = options;
  return concatSamples([silence(beforeMs, sampleRateHz), samples, silence(afterMs, sampleRateHz)]);
}

/**
 * Adds noise `snrDb` below the speech level (pauses do not count): pink noise by `seed`, or `babble`, looped.
 */
export function withNoise(
  samples: Int16Array,
  options: { snrDb: number; seed: number; sampleRateHz: number; babble?: Int16Array },
): Int16Array {
  const { snrDb, seed, sampleRateHz, babble } = options;
  const noiseLevelDbfs = activeLevelDbfs(samples, sampleRateHz) - snrDb;
  const noise =
    babble === undefined
      ? pinkNoise(samples.length, noiseLevelDbfs, seed)
      : atLevel(repeated(babble, samples.length), noiseLevelDbfs);
  return mix(samples, noise);
}

/** Mixes `voices`, each looped from a different offset. */
export function babbleOf(
  voices: readonly Int16Array[],
  durationMs: number,
  sampleRateHz: number,
): Int16Array {
  const length = samplesFromMs(durationMs, sampleRateHz);
  const shared = voices.map((voice) => atLevel(voice, -36));
  return shared.reduce(
    (sum, voice, i) => mix(sum, repeated(voice, length, Math.floor((voice.length * i) / shared.length))),
    new Int16Array(length),
  );
}

function repeated(samples: Int16Array, length: number, offset = 0): Int16Array {
  const output = new Int16Array(length);
  let position = -(offset % samples.length);
  for (; position < length; position += samples.length) {
    const skipped = Math.max(0, -position);
    output.set(samples.subarray(skipped, Math.min(samples.length, length - position)), position + skipped);
  }
  return output;
}

/** Scales audio to another level. */
export function atLevel(samples: Int16Array, wantedLevelDbfs: number): Int16Array {
  const gain = 10 ** ((wantedLevelDbfs - levelDbfs(samples)) / 20);
  return Number.isFinite(gain) ? samples.map((sample) => clampToInt16(sample * gain)) : samples.slice();
}

function mix(one: Int16Array, other: Int16Array): Int16Array {
  const output = new Int16Array(one.length);
  one.forEach((sample, i) => {
    output[i] = clampToInt16(sample + (other[i] ?? 0));
  });
  return output;
}

/** Resamples a whole recording. */
export function resample(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  const resampler = createResampler(fromHz, toHz);
  const output = concatSamples([resampler.process(samples), resampler.flush()]);
  resampler.close();
  return output;
}
