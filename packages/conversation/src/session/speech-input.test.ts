import { describe, expect, it } from '@jest/globals';
import type { InterimTranscript } from '@calls/engine-ports/speech-to-text';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import { systemClock } from '@calls/foundation/clock';
import { SpeechInput, type SpeechInputListener } from './speech-input.ts';

const RATE_HZ = 16_000;
const FRAME = RATE_HZ / 50;
const vad = {
  turnEndpointDelayMs: 384,
  minimumTurnDurationMs: 0,
  minimumInterruptionDurationMs: 90,
  frameActivationThreshold: 0.1,
};
const settings = {
  inputSampleRateHz: RATE_HZ,
  transcription: { languageHint: null },
  vad,
  buffersAudio: false,
  isEcho: () => false,
  transcriptionLimitMs: 2000,
  clock: systemClock,
};
const silentListener: SpeechInputListener = {
  onEdge: () => undefined,
  onWindow: () => undefined,
  onPause: () => undefined,
  onCompletion: () => undefined,
  onInterimTranscript: () => undefined,
  onTranscript: () => undefined,
  onTranscriptionFailed: () => undefined,
  onError: () => undefined,
  onAudio: null,
  onDetectorAudio: () => undefined,
};

describe('SpeechInput', () => {
  it('sends speech to STT from its beginning when the VAD lags by seconds', async () => {
    const answers: (() => void)[] = [];
    const pushed: Int16Array[] = [];
    const input: SpeechInput = new SpeechInput({
      detector: {
        push: (window) => {
          const probability = window.some((sample) => sample !== 0) ? 1 : 0;
          return new Promise((resolve) => answers.push(() => resolve(probability)));
        },
        reset: () => undefined,
        close: () => undefined,
      },
      speechToText: {
        open: () => ({
          push: (samples) => pushed.push(samples.slice()),
          finalize: () => Promise.resolve({ text: '' }),
          interims: noInterims(),
          close: () => undefined,
        }),
      },
      ...settings,
      listener: {
        ...silentListener,
        onEdge: (edge) => {
          if (edge === 'speech_started') input.openUtterance(1);
        },
      },
    });
    // One second of silence, one of speech and two of silence, which all wait for the detector.
    for (let frame = 0; frame < 200; frame += 1) {
      const speech = frame >= 50 && frame < 100;
      input.push(new Int16Array(FRAME).fill(speech ? frame : 0));
    }
    for (const answer of answers) answer();
    await new Promise((resolve) => setImmediate(resolve));
    const forwarded = pushed.flatMap((samples) => [...samples]);
    expect(new Set(forwarded.filter((sample) => sample !== 0)).size).toBe(50);
    // Pre-roll: 300 ms, and the silence within the first window of speech.
    const beforeSpeech = forwarded.findIndex((sample) => sample !== 0);
    expect(beforeSpeech).toBeGreaterThanOrEqual((300 * RATE_HZ) / 1000);
    input.close();
  });
});

describe('interim transcripts', () => {
  it('are whole in a pause when they cover the speech before it', async () => {
    const interims = new BoundedQueue<InterimTranscript>(8, 'reject');
    const reported: { text: string; isWhole: boolean }[] = [];
    let sentSamples = 0;
    const input: SpeechInput = new SpeechInput({
      detector: {
        push: (window) => Promise.resolve(window.some((sample) => sample !== 0) ? 1 : 0),
        reset: () => undefined,
        close: () => undefined,
      },
      speechToText: {
        open: () => ({
          push: (samples) => {
            sentSamples += samples.length;
          },
          finalize: () => Promise.resolve({ text: '' }),
          interims,
          close: () => undefined,
        }),
      },
      ...settings,
      listener: {
        ...silentListener,
        onEdge: (edge) => {
          if (edge === 'speech_started') input.openUtterance(1);
        },
        onInterimTranscript: (_, words) => reported.push(words),
      },
    });
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const play = async (frames: number, sample: number): Promise<void> => {
      for (let frame = 0; frame < frames; frame += 1) {
        input.push(new Int16Array(FRAME).fill(sample));
        await settle();
      }
    };
    const hear = async (text: string, coveredSamples: number): Promise<void> => {
      interims.push({ text, coveredSamples });
      await settle();
    };
    await play(50, 0);
    await play(50, 9000);
    await hear('I would', sentSamples);
    // The last 0.1 s of the speech are not covered.
    await hear('I would like', sentSamples - RATE_HZ / 10);
    await play(8, 0);
    expect(reported.splice(0)).toEqual([
      { text: 'I would', isWhole: false },
      { text: 'I would like', isWhole: false },
    ]);
    await hear('I would like', sentSamples);
    await hear('I would like', sentSamples);
    expect(reported.splice(0)).toEqual([{ text: 'I would like', isWhole: true }]);
    // More speech, of which the engine already knows everything when the VAD notices the pause.
    await play(50, 9000);
    await hear('I would like tea', sentSamples);
    expect(reported.splice(0)).toEqual([{ text: 'I would like tea', isWhole: false }]);
    await play(8, 0);
    expect(reported.splice(0)).toEqual([{ text: 'I would like tea', isWhole: true }]);
    input.close();
  });
});

async function* noInterims(): AsyncGenerator<{ text: string }> {
  // Yields no interim transcripts.
}
