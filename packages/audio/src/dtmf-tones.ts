import { samplesFromMs } from './pcm.ts';

export const DTMF_TONE_MS = 200;
export const DTMF_GAP_MS = 100;

/** ITU-T Q.23: each digit is one frequency of the low group and one of the high group. */
export const LOW_GROUP_HZ = [697, 770, 852, 941] as const;
export const HIGH_GROUP_HZ = [1209, 1336, 1477, 1633] as const;
export const DTMF_KEYPAD = ['123A', '456B', '789C', '*0#D'] as const;

const FREQUENCIES_HZ = new Map(
  LOW_GROUP_HZ.flatMap((lowHz, row) =>
    HIGH_GROUP_HZ.map((highHz, column) => [DTMF_KEYPAD[row]?.charAt(column), { lowHz, highHz }] as const),
  ),
);

/**
 * -8 and -6 dBm0: inside every administration's range in Q.24, the high group 2 dB louder against the loss of lines. A full
 * sine is +3.14 dBm0 in G.711, so that both together stay below two thirds of full scale.
 */
const LOW_AMPLITUDE = dbm0Amplitude(-8);
const HIGH_AMPLITUDE = dbm0Amplitude(-6);
/** Rise and fall of a tone: no click, and far shorter than Q.24's shortest signal of 40 ms. */
const RAMP_MS = 4;

function dbm0Amplitude(level: number): number {
  return 32_767 * 10 ** ((level - 3.14) / 20);
}

/** The tones of `digits` in order, each 0.2 s with 0.1 s of silence after it. Throws a RangeError for another character. */
export function dtmfTones(digits: string, sampleRateHz: number): Int16Array {
  const toneSamples = samplesFromMs(DTMF_TONE_MS, sampleRateHz);
  const stepSamples = toneSamples + samplesFromMs(DTMF_GAP_MS, sampleRateHz);
  const output = new Int16Array(digits.length * stepSamples);
  for (let i = 0; i < digits.length; i += 1) {
    const start = i * stepSamples;
    writeTone(digits.charAt(i), sampleRateHz, output.subarray(start, start + toneSamples));
  }
  return output;
}

function writeTone(digit: string, sampleRateHz: number, target: Int16Array): void {
  const pair = FREQUENCIES_HZ.get(digit.toUpperCase());
  if (!pair) throw new RangeError(`"${digit}" is not a DTMF digit`);
  const low = (2 * Math.PI * pair.lowHz) / sampleRateHz;
  const high = (2 * Math.PI * pair.highHz) / sampleRateHz;
  const rampSamples = samplesFromMs(RAMP_MS, sampleRateHz);
  for (let i = 0; i < target.length; i += 1) {
    const fromEdge = Math.min(i, target.length - 1 - i);
    const gain = fromEdge < rampSamples ? (1 - Math.cos((Math.PI * fromEdge) / rampSamples)) / 2 : 1;
    target[i] = Math.round(gain * (LOW_AMPLITUDE * Math.sin(low * i) + HIGH_AMPLITUDE * Math.sin(high * i)));
  }
}
