import { concatSamples } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';

/** Resamples a whole recording. */
export function resample(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  const resampler = createResampler(fromHz, toHz);
  const output = concatSamples([resampler.process(samples), resampler.flush()]);
  resampler.close();
  return output;
}
