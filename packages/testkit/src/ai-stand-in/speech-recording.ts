import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bytesFromSamples } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import { parseWav } from '@calls/audio/wav';

const run = promisify(execFile);

export const SPEECH_RATE_HZ = 24_000;
const PASSAGE =
  'The north wind and the sun were disputing which was the stronger, when a traveller came along wrapped in a warm cloak. ' +
  'They agreed that the one who first succeeded in making the traveller take his cloak off should be considered stronger than the other.';
const BURST_SECONDS = 10;

/**
 * A few seconds of speech at 24 kHz: from espeak-ng if installed, otherwise bursts of noise in the voice band.
 */
export async function loadSpeechRecording(): Promise<Buffer> {
  const wav = await renderByEspeak();
  return Buffer.from(bytesFromSamples(wav === null ? noiseBursts() : resampled(wav)));
}

/** Usually takes a fraction of a second, but much longer on a busy machine. */
const RENDER_LIMIT_MS = 60_000;

/** Null if espeak-ng is not installed. Rejects if it fails or takes too long, so that noise never replaces the speech. */
async function renderByEspeak(): Promise<Buffer | null> {
  const options = { encoding: 'buffer', maxBuffer: 8 * 1024 * 1024, timeout: RENDER_LIMIT_MS } as const;
  try {
    return (await run('espeak-ng', ['-v', 'en-us', '--stdout', PASSAGE], options)).stdout;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw thrown;
  }
}

function resampled(wav: Buffer): Int16Array {
  const { samples, sampleRateHz } = parseWav(wav);
  const resampler = createResampler(sampleRateHz, SPEECH_RATE_HZ);
  try {
    const head = resampler.process(samples);
    const tail = resampler.flush();
    const whole = new Int16Array(head.length + tail.length);
    whole.set(head);
    whole.set(tail, head.length);
    return whole;
  } finally {
    resampler.close();
  }
}

/** White noise through a one-pole band-pass (300 to 3000 Hz), four bursts per second. Deterministic. */
function noiseBursts(): Int16Array {
  const samples = new Int16Array(BURST_SECONDS * SPEECH_RATE_HZ);
  const pole = (cutHz: number): number => Math.exp((-2 * Math.PI * cutHz) / SPEECH_RATE_HZ);
  const [upper, lower] = [pole(3000), pole(300)];
  let seed = 1;
  let smooth = 0;
  let slow = 0;
  for (let i = 0; i < samples.length; i += 1) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    smooth = upper * smooth + (1 - upper) * (seed / 2 ** 31 - 1);
    slow = lower * slow + (1 - lower) * smooth;
    const envelope = Math.max(0, Math.sin((2 * Math.PI * 4 * i) / SPEECH_RATE_HZ));
    samples[i] = Math.round((smooth - slow) * envelope * 20_000);
  }
  return samples;
}
