import { samplesFromMs } from '@calls/audio/pcm';
import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';

const FRAME_SAMPLES = samplesFromMs(10, SPEECH_RATE_HZ);
/** Frames this far below the loudest one are silence: 35 dB. */
const SILENCE_RATIO = 10 ** (-35 / 10);
/** Silence that stays before and after the speech. */
const MARGIN_FRAMES = 10;
/** The model was trained with at most 30 s, and repeats itself in longer audio. */
const MAX_FRAMES = 2000;
const MIN_FRAMES = 1000;
/** A piece ends in the softest stretch of this length. */
const GAP_FRAMES = 20;

/**
 * Splits 16 kHz audio into pieces of speech of at most 20 s, without the silence around them. With that silence, the
 * model takes short words for silence too. Returns views; none for silence.
 */
export function speechPieces(samples: Int16Array): Int16Array[] {
  const powers = framePowers(samples);
  const threshold = powers.reduce((loudest, power) => Math.max(loudest, power), 0) * SILENCE_RATIO;
  const pieces: Int16Array[] = [];
  for (let start = 0; start < powers.length;) {
    const end = powers.length - start <= MAX_FRAMES ? powers.length : softestFrame(powers, start);
    const first = powers.findIndex((power, frame) => frame >= start && frame < end && power > threshold);
    const last = powers.subarray(0, end).findLastIndex((power) => power > threshold);
    if (first !== -1) {
      const from = Math.max(start, first - MARGIN_FRAMES);
      const to = Math.min(end, last + 1 + MARGIN_FRAMES);
      pieces.push(samples.subarray(from * FRAME_SAMPLES, to * FRAME_SAMPLES));
    }
    start = end;
  }
  return pieces;
}

/** Mean square of each frame; the last one may be shorter. */
function framePowers(samples: Int16Array): Float64Array {
  const powers = new Float64Array(Math.ceil(samples.length / FRAME_SAMPLES));
  for (let frame = 0; frame < powers.length; frame += 1) {
    const part = samples.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);
    let energy = 0;
    for (const sample of part) energy += sample * sample;
    powers[frame] = energy / part.length;
  }
  return powers;
}

/** The middle of the softest stretch between the shortest and the longest length of a piece. */
function softestFrame(powers: Float64Array, start: number): number {
  let softest = Infinity;
  let found = start + MAX_FRAMES;
  for (let frame = start + MIN_FRAMES; frame + GAP_FRAMES <= start + MAX_FRAMES; frame += 1) {
    const power = powers.subarray(frame, frame + GAP_FRAMES).reduce((sum, each) => sum + each, 0);
    if (power >= softest) continue;
    softest = power;
    found = frame + GAP_FRAMES / 2;
  }
  return found;
}
