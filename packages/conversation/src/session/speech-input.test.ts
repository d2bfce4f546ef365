import { describe, expect, it } from '@jest/globals';
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
const silentListener: SpeechInputListener = {
  onEdge: () => undefined,
  onWindow: () => undefined,
  onPause: () => undefined,
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
      inputSampleRateHz: RATE_HZ,
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
          partials: noPartials(),
          close: () => undefined,
        }),
      },
      transcription: { languageHint: null },
      vad,
      buffersAudio: false,
      isEcho: () => false,
      transcriptionLimitMs: 2000,
      clock: systemClock,
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

async function* noPartials(): AsyncGenerator<{ text: string }> {
  // Yields no interim transcripts.
}
