import { describe, expect, it } from '@jest/globals';
import { bytesFromSamples } from '@calls/audio/pcm';
import { encodeWav } from '@calls/audio/wav';
import fc from 'fast-check';
import { SpeechDecoder } from './speech-decoder.ts';

/** Two frames of MP3 with this header, without their audio. */
function mp3(second: number, third: number, length: number): Buffer {
  const frame = Buffer.alloc(length);
  frame.set([0xff, second, third, 0xc4]);
  return Buffer.concat([frame, frame]);
}

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

  it.each([
    ['MP3', Buffer.concat([Buffer.from('ID3\u0004'), Buffer.alloc(200)])],
    ['MP3', mp3(0xfb, 0x90, 417)],
    ['MP3', mp3(0xf3, 0x84, 192)],
    ['Ogg', Buffer.from('OggS\0\u0002')],
    ['FLAC', Buffer.from('fLaC\0\0')],
  ])('rejects %s wherever the bytes are split', (format, bytes) => {
    fc.assert(
      fc.property(cuts, (at) => {
        expect(() => decode(bytes, at)).toThrow(`the response is ${format}; only WAV and PCM can be played`);
      }),
    );
  });

  it('decodes PCM that starts like an MP3 frame', () => {
    const samples = Int16Array.from({ length: 400 }, (_, at) => (at === 0 ? -1025 : 0x90));
    expect(decode(bytesFromSamples(samples), [2, 100, 300]).samples).toEqual([...samples]);
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
