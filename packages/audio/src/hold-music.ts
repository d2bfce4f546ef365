import { samplesFromMs } from './pcm.ts';

/** Broken chords, one bar each, as MIDI notes: C, a minor, F, G. */
const BARS = [
  [60, 64, 67, 72, 67, 64],
  [57, 60, 64, 69, 64, 60],
  [53, 57, 60, 65, 60, 57],
  [55, 59, 62, 67, 62, 59],
] as const;
const NOTE_MS = 400;
/** How long a note sounds; it fades while the next ones begin. */
const RING_MS = 1200;
/** Time in which a note fades to 1/e. */
const DECAY_MS = 350;
/** Rise of a note, against clicks. */
const ATTACK_MS = 8;
/** Quiet: three notes together stay below a fifth of full scale. */
const AMPLITUDE = 1800;
/** The second harmonic, which makes the tone less flat. */
const OVERTONE = 0.25;

export const HOLD_MUSIC_MS = BARS.length * BARS[0].length * NOTE_MS;

const cache = new Map<number, Int16Array>();

/** A quiet melody without seam, to be repeated. Mono PCM; shared, so it must not be modified. */
export function holdMusic(sampleRateHz: number): Int16Array {
  const known = cache.get(sampleRateHz);
  if (known) return known;
  const melody = composed(sampleRateHz);
  cache.set(sampleRateHz, melody);
  return melody;
}

function composed(sampleRateHz: number): Int16Array {
  const output = new Int16Array(samplesFromMs(HOLD_MUSIC_MS, sampleRateHz));
  BARS.flat().forEach((note, i) => {
    addNote(output, 440 * 2 ** ((note - 69) / 12), samplesFromMs(i * NOTE_MS, sampleRateHz), sampleRateHz);
  });
  return output;
}

/** Notes that ring beyond the end continue at the beginning. */
function addNote(output: Int16Array, frequencyHz: number, start: number, sampleRateHz: number): void {
  const angle = (2 * Math.PI * frequencyHz) / sampleRateHz;
  const [cosStep, sinStep] = [Math.cos(angle), Math.sin(angle)];
  const ringSamples = samplesFromMs(RING_MS, sampleRateHz);
  const attackSamples = samplesFromMs(ATTACK_MS, sampleRateHz);
  const decay = Math.exp(-1000 / (DECAY_MS * sampleRateHz));
  let level = AMPLITUDE;
  let [cos, sin] = [1, 0];
  for (let i = 0; i < ringSamples; i += 1) {
    const edge = Math.min(1, i / attackSamples, (ringSamples - i) / attackSamples);
    const wave = sin + OVERTONE * 2 * sin * cos;
    const at = (start + i) % output.length;
    output[at] = (output[at] ?? 0) + Math.round(edge * level * wave);
    level *= decay;
    [cos, sin] = [cos * cosStep - sin * sinStep, cos * sinStep + sin * cosStep];
  }
}
