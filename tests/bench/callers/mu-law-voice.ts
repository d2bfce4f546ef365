import { decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { createResampler } from '@calls/audio/resampler';
import type { CallerVoice } from './caller-medium.ts';

export const MU_LAW_RATE_HZ = 8000;
const RECEIVED_RATE_HZ = 16_000;

/** PCMU, as phone networks use it. */
export function createMuLawVoice(): Promise<CallerVoice> {
  const resampler = createResampler(MU_LAW_RATE_HZ, RECEIVED_RATE_HZ);
  return Promise.resolve({
    encode: (samples) => encodeMuLaw(samples),
    decode: (frame) => resampler.process(decodeMuLaw(frame)),
    [Symbol.dispose]: () => resampler.close(),
  });
}
