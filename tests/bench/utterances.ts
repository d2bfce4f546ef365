import { concatSamples, createResampler, FrameChunker } from '@calls/audio';
import { VAD_WINDOW_SAMPLES, type VoiceActivityEngine } from '@calls/conversation';
import { humanVoice, silence, speak } from '@calls/testkit';

export const FRAME_MS = 20;
/** Windows of 32 ms and frames of 20 ms meet every 160 ms: an utterance that begins there is cut as it was when measured. */
export const ALIGNED_FRAMES = 8;
/** The default turnEndpointDelay. */
export const ENDPOINT_DELAY_MS = 384;

const THRESHOLD = 0.1;
const ENDPOINT_WINDOWS = 12;
const LEAD_FRAMES = ALIGNED_FRAMES * 8;
const TAIL_MS = 1600;

/** Recorded speech, in frames, and where in it the detector hears its end. */
export interface Utterance {
  frames: readonly Uint8Array[];
  /** The frame that completes the last window of speech: what is measured begins with its arrival. */
  lastSpeechFrame: number;
}

/** Sentences of three synthetic voices and of a human one, with silence after, in frames of `sampleRateHz`. */
export async function prepareUtterances(
  engine: VoiceActivityEngine,
  sampleRateHz: number,
): Promise<Utterance[]> {
  const spoken = await Promise.all([
    humanVoice('Front_Left', sampleRateHz),
    humanVoice('Rear_Right', sampleRateHz),
    speak({ engine: 'flite', voice: 'slt', text: 'I would like to book a table for two.', sampleRateHz }),
    speak({ engine: 'flite', voice: 'rms', text: 'What are your opening hours on Sunday?', sampleRateHz }),
    speak({
      engine: 'espeak-ng',
      voice: 'en-us',
      text: 'Could you tell me the price of a room?',
      sampleRateHz,
    }),
  ]);
  return Promise.all(spoken.map((samples) => prepare(engine, samples, sampleRateHz)));
}

async function prepare(
  engine: VoiceActivityEngine,
  spoken: Int16Array,
  sampleRateHz: number,
): Promise<Utterance> {
  const frameSamples = Math.round((FRAME_MS * sampleRateHz) / 1000);
  const samples = concatSamples([spoken, silence(TAIL_MS, sampleRateHz)]);
  const frames = cut(samples, frameSamples);
  const lead = Array.from({ length: LEAD_FRAMES }, () => new Int16Array(frameSamples));
  const completedBy: number[] = [];
  const answers: Promise<number>[] = [];
  const detector = engine.createDetector();
  const resampler = createResampler(sampleRateHz, 16_000);
  const chunker = new FrameChunker(VAD_WINDOW_SAMPLES);
  for (const [index, frame] of [...lead, ...frames].entries()) {
    chunker.push(resampler.process(frame), (window) => {
      completedBy.push(index - LEAD_FRAMES);
      answers.push(detector.push(window));
    });
    await answers.at(-1);
  }
  const active = (await Promise.all(answers)).map((probability) => probability >= THRESHOLD);
  resampler.close();
  detector.close();
  const last = active.lastIndexOf(true);
  const inner = active
    .slice(active.indexOf(true), last + 1)
    .map((isActive) => (isActive ? 's' : '-'))
    .join('');
  if (last < 0 || inner.includes('-'.repeat(ENDPOINT_WINDOWS))) {
    throw new Error(`this recording is no single utterance to the detector: ${inner}`);
  }
  return {
    frames: frames.map((frame) => new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength)),
    lastSpeechFrame: completedBy[last] ?? 0,
  };
}

/** The last frame is filled up with silence. */
function cut(samples: Int16Array, frameSamples: number): Int16Array[] {
  return Array.from({ length: Math.ceil(samples.length / frameSamples) }, (_, i) => {
    const frame = new Int16Array(frameSamples);
    frame.set(samples.subarray(i * frameSamples, (i + 1) * frameSamples));
    return frame;
  });
}
