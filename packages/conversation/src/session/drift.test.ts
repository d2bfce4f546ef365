import { describe, expect, it } from '@jest/globals';
import type { Clock, Timer } from '@calls/foundation/clock';
import { AgentUtterance } from '../playout/agent-utterance.ts';
import { Pacer } from '../playout/pacer.ts';
import { Playout } from '../playout/playout.ts';
import type { RecordingSink } from '../ports/recordings.ts';
import { CallRecorder } from '../recording/call-recorder.ts';
import { SpeechInput } from './speech-input.ts';

const HOUR_MS = 3_600_000;
const SAMPLES_PER_MS = 16;
const FRAME_MS = 20;
const FRAME_SAMPLES = FRAME_MS * SAMPLES_PER_MS;
/** Each side makes a sound of this length once per period. */
const BURST_MS = 400;
const PERIOD_MS = 10_000;
const LEAD_MS = 60;

/** The clock of a busy machine: timers fire up to 8 ms late, one in a hundred 30 ms late, which the client's buffer covers. Identical in each run. */
class JitteryClock implements Clock {
  #nowMs = 0;
  #seed = 1;
  readonly #timers = new Set<{ atMs: number; fire: () => void }>();

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  /** A pseudo-random number from 0 to 1. */
  random(): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return this.#seed / 2 ** 31;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const lateMs = this.random() < 0.01 ? 30 : this.random() * 8;
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs) + lateMs, fire };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  runUntil(untilMs: number): void {
    for (;;) {
      let next: { atMs: number; fire: () => void } | null = null;
      for (const timer of this.#timers) if (!next || timer.atMs < next.atMs) next = timer;
      if (!next || next.atMs > untilMs) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.fire();
    }
    this.#nowMs = untilMs;
  }
}

/** The frame of either side's audio that begins at this time. */
function frameAt(ms: number): Int16Array {
  return new Int16Array(FRAME_SAMPLES).fill(ms % PERIOD_MS < BURST_MS ? 3000 : 0);
}

/** Collects when the sounds of each channel begin in a recording, in milliseconds. */
class OnsetSink implements RecordingSink {
  readonly onsets: [number[], number[]] = [[], []];
  writtenSamples = 0;
  readonly #lastLoud = [-Infinity, -Infinity];

  write(pcm: Uint8Array): void {
    const block = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.byteLength / 2);
    for (const channel of [0, 1] as const) {
      for (let i = channel; i < block.length; i += 2) {
        if ((block[i] ?? 0) < 1000) continue;
        const at = this.writtenSamples + (i >> 1);
        if (at - (this.#lastLoud[channel] ?? 0) > 1000 * SAMPLES_PER_MS) {
          this.onsets[channel].push(at / SAMPLES_PER_MS);
        }
        this.#lastLoud[channel] = at;
      }
    }
    this.writtenSamples += block.length / 2;
  }

  suspend(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<null> {
    return Promise.resolve(null);
  }
}

/** The drift of moments that should be `PERIOD_MS` apart, from the first to the last five minutes. */
function driftPpm(moments: readonly number[]): number {
  const errors = moments.map((ms, i) => ms - i * PERIOD_MS);
  const mean = (values: readonly number[]): number => values.reduce((sum, ms) => sum + ms, 0) / values.length;
  const some = 30;
  const ranMs = (moments.length - some) * PERIOD_MS;
  return ((mean(errors.slice(-some)) - mean(errors.slice(0, some))) / ranMs) * 1e6;
}

const nothing = (): void => undefined;

describe('an hour of paced audio on a busy machine', () => {
  it('drifts less than 50 ppm in sent, played and recorded audio', async () => {
    const clock = new JitteryClock();
    const sink = new OnsetSink();
    const recorder = new CallRecorder({ sink, agentSampleRateHz: 16_000, startMs: 0, clock });

    const utterance = new AgentUtterance(16_000, 10_000);
    const sent: number[] = [];
    let sentMs = 0;
    const generate = (): void => {
      while (utterance.writtenSamples / SAMPLES_PER_MS < sentMs + 500) {
        utterance.append(frameAt(utterance.writtenSamples / SAMPLES_PER_MS));
      }
    };
    const playout = new Playout(
      utterance,
      LEAD_MS,
      {
        write() {
          if (sentMs % PERIOD_MS === 0) sent.push(clock.nowMs());
          sentMs += FRAME_MS;
          generate();
        },
      },
      {
        onStarted: nothing,
        onPlayed: nothing,
        onFinished: nothing,
        onFrameSent: nothing,
        onSilent: () => undefined,
        onStarved: () => starved.push(clock.nowMs()),
        onAudio: (samples, startMs) => recorder.writeAgentAudio(samples, startMs),
        onFatalError: (error) => {
          throw error;
        },
      },
    );
    const starved: number[] = [];
    generate();
    const pacer = new Pacer(clock);
    pacer.add(playout);

    const edges: number[] = [];
    const input = new SpeechInput({
      inputSampleRateHz: 16_000,
      detector: {
        push: (window) => Promise.resolve(window.some((sample) => sample > 1000) ? 0.9 : 0.01),
        reset: nothing,
        close: nothing,
      },
      speechToText: {
        open: () => {
          throw new Error('unexpected speech-to-text stream');
        },
      },
      transcription: { languageHint: null },
      vad: {
        turnEndpointDelayMs: 384,
        minimumTurnDurationMs: 0,
        minimumInterruptionDurationMs: 90,
        frameActivationThreshold: 0.5,
      },
      buffersAudio: false,
      isEcho: () => false,
      transcriptionLimitMs: 2000,
      clock,
      listener: {
        onEdge: (edge, atMs) => {
          if (edge === 'speech_started') edges.push(atMs);
        },
        onWindow: () => undefined,
        onPause: () => undefined,
        onCompletion: () => undefined,
        onInterimTranscript: nothing,
        onDetectorAudio: nothing,
        onTranscript: nothing,
        onTranscriptionFailed: nothing,
        onError: (error) => {
          throw error;
        },
        onAudio: (samples) => recorder.writeUserAudio(samples),
      },
    });
    // A frame is spoken during 20 ms and arrives after that.
    const speakFrame = (atMs: number): void => {
      clock.setTimer(atMs + FRAME_MS - clock.nowMs(), () => {
        input.push(frameAt(atMs));
        speakFrame(atMs + FRAME_MS);
      });
    };
    speakFrame(0);

    for (let ms = 0; ms <= HOUR_MS; ms += 500) {
      clock.runUntil(ms);
      // Lets the detector resolve.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const playedMs = playout.playhead(clock.nowMs()) / SAMPLES_PER_MS;
    pacer.remove(playout);
    input.close();
    await recorder.close();

    const drift = {
      sent: driftPpm(sent),
      speech: driftPpm(edges),
      recordedUser: driftPpm(sink.onsets[0]),
      recordedAgent: driftPpm(sink.onsets[1]),
      playhead: ((playedMs - (HOUR_MS - (sent[0] ?? 0))) / HOUR_MS) * 1e6,
      recording: ((sink.writtenSamples / SAMPLES_PER_MS - HOUR_MS) / HOUR_MS) * 1e6,
    };
    for (const [what, ppm] of Object.entries(drift)) expect([what, Math.abs(ppm) < 50]).toEqual([what, true]);
    expect([sent, edges, ...sink.onsets].map(({ length }) => length)).toEqual([361, 360, 360, 360]);
    expect(starved).toEqual([]);
  });

  it('shows drift for a pacer that does not compensate for late timers', () => {
    const clock = new JitteryClock();
    const moments: number[] = [];
    let frames = 0;
    const tick = (): void => {
      if ((frames * FRAME_MS) % PERIOD_MS === 0) moments.push(clock.nowMs());
      frames += 1;
      clock.setTimer(FRAME_MS, tick);
    };
    tick();
    clock.runUntil(HOUR_MS);
    expect(driftPpm(moments)).toBeGreaterThan(50_000);
  });
});
