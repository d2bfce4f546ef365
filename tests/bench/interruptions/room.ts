import { samplesFromMs } from '@calls/audio/pcm';
import { Draws } from '../turns/corpus/random.ts';
import { RATE_HZ } from '../turns/recordings/read-recording.ts';

/** A copy of a sound that arrives `at` samples later. */
export interface Reflection {
  at: number;
  level: number;
}

const SEED = 18;
/**
 * Number of reflections. With more than about 1500 per second, single ones are not audible (Karjalainen and Järveläinen
 * 2007, velvet noise).
 */
const REFLECTIONS_PER_S = 1500;

/**
 * The sound that travels from a loudspeaker to a microphone in a room: directly and by reflections. All reflections
 * together are as loud as the direct sound and decay by 60 dB within `reverberationMs`. The sum has the power of the
 * original; 0 returns only the original.
 */
export function roomOf(reverberationMs: number): Reflection[] {
  if (reverberationMs === 0) return [{ at: 0, level: 1 }];
  const draws = new Draws(SEED, 'room');
  const samplesApart = RATE_HZ / REFLECTIONS_PER_S;
  const tailSamples = samplesFromMs(reverberationMs, RATE_HZ);
  const reflections = Array.from({ length: Math.floor(tailSamples / samplesApart) - 1 }, (_, i) => {
    const at = Math.round((i + 1 + draws.number()) * samplesApart);
    return { at, level: (draws.number() < 0.5 ? -1 : 1) * 10 ** ((-3 * at) / tailSamples) };
  });
  const power = reflections.reduce((sum, { level }) => sum + level ** 2, 0);
  const direct = { at: 0, level: Math.SQRT1_2 };
  return [
    direct,
    ...reflections.map(({ at, level }) => ({ at, level: (level * Math.SQRT1_2) / Math.sqrt(power) })),
  ];
}
