import { concatSamples, createResampler } from '@calls/audio';

/** A whole recording at another rate. */
export function resample(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  const resampler = createResampler(fromHz, toHz);
  const output = concatSamples([resampler.process(samples), resampler.flush()]);
  resampler.close();
  return output;
}
