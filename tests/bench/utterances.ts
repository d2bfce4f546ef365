import { FrameChunker } from '@calls/audio/frame-chunker';
import { concatSamples } from '@calls/audio/pcm';
import { SpeechSegmenter } from '@calls/conversation/vad/speech-segmenter';
import { windowLevels, type WindowLevels } from '@calls/conversation/vad/window-levels';
import { VAD_WINDOW_SAMPLES, type VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { stageSpec } from '@calls/testkit/call-spec';
import { humanVoice } from '@calls/testkit/speech/human-voice';
import { silence } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';
import type { CallerMedium } from './callers/caller-medium.ts';
import { speechExtent } from './turns/recordings/speech-extents.ts';

export const FRAME_MS = 20;
/**
 * Windows of 32 ms and frames of 20 ms align every 160 ms. An utterance that starts there is split into the same
 * windows as in the preparation.
 */
export const ALIGNED_FRAMES = 8;
/** The default of `turnEndpointDelay`. */
export const ENDPOINT_DELAY_MS = 384;

/** Sounds that are this much below the level of the speech do not count as speech. */
const FLOOR_DB = 25;
const LEAD_FRAMES = ALIGNED_FRAMES * 8;
const TAIL_MS = 1600;

/** Recorded speech as frames, with the position of its end. */
export interface Utterance {
  frames: readonly Uint8Array[];
  /** The frame with the last sound of speech. Latency is measured from its arrival. */
  lastSpeechFrame: number;
}

/** Utterances of the callers. */
export interface Script {
  utterances: readonly Utterance[];
  /** One frame of silence. */
  silence: Uint8Array;
}

/** Encodes sentences of three synthetic voices and one human voice, each followed by silence. */
export async function prepareScript(engine: VoiceActivityEngine, medium: CallerMedium): Promise<Script> {
  const { sampleRateHz } = medium;
  const spoken = await Promise.all([
    humanVoice('Front_Left', sampleRateHz),
    humanVoice('Side_Right', sampleRateHz),
    speak({ engine: 'flite', voice: 'slt', text: 'I would like to book a table for two.', sampleRateHz }),
    speak({ engine: 'flite', voice: 'rms', text: 'What are your opening hours on Sunday?', sampleRateHz }),
    speak({
      engine: 'espeak-ng',
      voice: 'en-us',
      text: 'Could you tell me the price of a room?',
      sampleRateHz,
    }),
  ]);
  using voice = await medium.createVoice();
  const quiet = Array.from({ length: LEAD_FRAMES }, () =>
    voice.encode(new Int16Array(frameSamplesOf(medium))),
  );
  return {
    utterances: await Promise.all(spoken.map((samples) => prepare(engine, samples, medium))),
    silence: quiet.at(-1) ?? new Uint8Array(0),
  };
}

function frameSamplesOf({ sampleRateHz }: CallerMedium): number {
  return Math.round((FRAME_MS * sampleRateHz) / 1000);
}

async function prepare(
  engine: VoiceActivityEngine,
  spoken: Int16Array,
  medium: CallerMedium,
): Promise<Utterance> {
  const { sampleRateHz } = medium;
  const frameSamples = frameSamplesOf(medium);
  const samples = concatSamples([spoken, silence(TAIL_MS, sampleRateHz)]);
  const lead = Array.from({ length: LEAD_FRAMES }, () => new Int16Array(frameSamples));
  using voice = await medium.createVoice();
  const frames = [...lead, ...cut(samples, frameSamples)].map((frame) => voice.encode(frame));
  const answers: Promise<number>[] = [];
  const levels: WindowLevels[] = [];
  const detector = engine.createDetector();
  const chunker = new FrameChunker(VAD_WINDOW_SAMPLES);
  for (const frame of frames) {
    chunker.push(voice.decode(frame), (window) => {
      answers.push(detector.push(window));
      levels.push(windowLevels(window));
    });
    await answers.at(-1);
  }
  const segmenter = new SpeechSegmenter(stageSpec().vad);
  const edges = (await Promise.all(answers)).flatMap((probability, i) =>
    segmenter.step(probability, levels[i] ?? null),
  );
  detector.close();
  const ends = edges.filter((edge) => edge === 'endpoint_reached').length;
  if (ends !== 1) throw new Error(`the detector finds ${ends} utterances in the recording instead of one`);
  const { endMs } = speechExtent(spoken, sampleRateHz, FLOOR_DB);
  return { frames: frames.slice(LEAD_FRAMES), lastSpeechFrame: Math.ceil(endMs / FRAME_MS) - 1 };
}

/** Pads the last frame with silence. */
function cut(samples: Int16Array, frameSamples: number): Int16Array[] {
  return Array.from({ length: Math.ceil(samples.length / frameSamples) }, (_, i) => {
    const frame = new Int16Array(frameSamples);
    frame.set(samples.subarray(i * frameSamples, (i + 1) * frameSamples));
    return frame;
  });
}
