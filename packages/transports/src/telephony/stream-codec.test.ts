import { pinkNoise, seededRandom } from '@calls/audio/noise';
import { bytesFromSamples, levelDbfs } from '@calls/audio/pcm';
import { HUMAN_PHRASES, humanVoice } from '@calls/testkit/speech/human-voice';
import { describe, expect, it } from '@jest/globals';
import { StreamCodec } from './stream-codec.ts';

const FRAME_MS = 20;
const L16 = { input: 'linear16', output: 'linear16' } as const;

type Order = 'little-endian' | 'big-endian';

function payloadOf(samples: Int16Array, order: Order): string {
  const bytes = Buffer.from(bytesFromSamples(samples));
  return (order === 'big-endian' ? bytes.swap16() : bytes).toString('base64');
}

/** The audio as the codec decodes it, frame by frame. */
function decoded(codec: StreamCodec, samples: Int16Array, rateHz: number, order: Order): Int16Array[] {
  const length = (rateHz * FRAME_MS) / 1000;
  const frames: Int16Array[] = [];
  for (let at = 0; at + length <= samples.length; at += length) {
    frames.push(codec.decode(payloadOf(samples.subarray(at, at + length), order))!);
  }
  return frames;
}

describe.each<Order>(['little-endian', 'big-endian'])('L16 that is received as %s', (order) => {
  it.each([8000, 16_000, 24_000])(
    'is decoded correctly from the first frame of speech, at %d Hz',
    async (rateHz) => {
      for (const phrase of HUMAN_PHRASES) {
        const speech = await humanVoice(phrase, rateHz);
        const codec = new StreamCodec(L16);
        codec.decode(payloadOf(new Int16Array(rateHz / 10), order));
        const frames = decoded(codec, speech, rateHz, order);
        // The frame in which speech begins may differ from silence too little for a decision.
        const wrong = frames.filter((frame, i) => {
          const length = frame.length;
          return !speech.subarray(i * length, (i + 1) * length).every((sample, j) => sample === frame[j]);
        });
        expect(wrong.length).toBeLessThanOrEqual(order === 'big-endian' ? 1 : 0);
        expect(codec.encode(Int16Array.of(1, -2))).toBe(payloadOf(Int16Array.of(1, -2), order));
      }
    },
  );

  it('is detected from line noise', () => {
    const codec = new StreamCodec(L16);
    decoded(codec, pinkNoise(1600, -70, 7), 8000, order);
    expect(codec.encode(Int16Array.of(300))).toBe(payloadOf(Int16Array.of(300), order));
  });
});

describe('L16 with an undetectable byte order', () => {
  it.each([
    ['silence', new Int16Array(8000)],
    [
      'white noise',
      Int16Array.from(
        { length: 8000 },
        (
          (random) => () =>
            random() * 65_536
        )(seededRandom(3)),
      ),
    ],
  ])('is treated as little-endian: %s', (_what, samples) => {
    const codec = new StreamCodec(L16);
    expect(decoded(codec, samples, 8000, 'little-endian').flatMap((frame) => [...frame])).toEqual([
      ...samples,
    ]);
    expect(codec.encode(Int16Array.of(300))).toBe(payloadOf(Int16Array.of(300), 'little-endian'));
  });
});

describe('G722', () => {
  it('carries speech in both directions', async () => {
    const speech = await humanVoice('Front_Center', 16_000);
    const [sender, receiver] = [
      new StreamCodec({ input: 'mu_law', output: 'g722' }),
      new StreamCodec({ input: 'g722', output: 'mu_law' }),
    ];
    const samples = receiver.decode(sender.encode(speech))!;
    expect(samples.length).toBe(speech.length & ~1);
    expect(Math.abs(levelDbfs(samples) - levelDbfs(speech))).toBeLessThan(1);
  });
});

describe('StreamCodec', () => {
  it('returns null for a payload that is not base64', () => {
    expect(new StreamCodec(L16).decode('***')).toBeNull();
  });

  it('drops half a sample at the end of a payload', () => {
    expect(new StreamCodec(L16).decode(Buffer.of(1, 0, 9).toString('base64'))).toEqual(Int16Array.of(1));
  });

  it.each(['mu_law', 'a_law'] as const)(
    'encodes %s samples so that they decode to the same values',
    (encoding) => {
      const codec = new StreamCodec({ input: encoding, output: encoding });
      const payload = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('base64');
      const samples = codec.decode(payload)!;
      expect(codec.decode(codec.encode(samples))).toEqual(samples);
    },
  );
});
