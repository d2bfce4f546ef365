import { describe, expect, it } from '@jest/globals';
import { bytesFromSamples } from '@calls/audio/pcm';
import { encodeWav } from '@calls/audio/wav';
import fc from 'fast-check';
import { SpeechDecoder } from './speech-decoder.ts';

/** Cuts `bytes` at the given places and decodes the pieces. */
function decode(bytes: Uint8Array, cuts: readonly number[]): { samples: number[]; ratesHz: Set<number> } {
  const decoder = new SpeechDecoder(24_000);
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  const samples: number[] = [];
  const ratesHz = new Set<number>();
  let from = 0;
  for (const to of places) {
    const decoded = decoder.push(Buffer.from(bytes.subarray(from, to)));
    if (decoded.samples.length > 0) ratesHz.add(decoded.sampleRateHz);
    samples.push(...decoded.samples);
    from = to;
  }
  return { samples, ratesHz };
}

const audio = fc.int16Array({ minLength: 2, maxLength: 200 });
const cuts = fc.array(fc.nat({ max: 500 }), { maxLength: 12 });

describe('SpeechDecoder', () => {
  it('decodes headerless PCM wherever the bytes are split', () => {
    fc.assert(
      fc.property(audio, cuts, (samples, at) => {
        fc.pre(Buffer.from(bytesFromSamples(samples)).toString('latin1', 0, 4) !== 'RIFF');
        expect(decode(bytesFromSamples(samples), at)).toEqual({
          samples: [...samples],
          ratesHz: new Set([24_000]),
        });
      }),
    );
  });

  it('decodes a WAV file at its own sample rate wherever the bytes are split', () => {
    fc.assert(
      fc.property(audio, cuts, (samples, at) => {
        expect(decode(encodeWav(samples, 22_050), at)).toEqual({
          samples: [...samples],
          ratesHz: new Set([22_050]),
        });
      }),
    );
  });
});
