import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@calls/foundation/clock';
import { AgentUtterance } from './agent-utterance.ts';
import { OutputMixer } from './output-mixer.ts';
import { Pacer } from './pacer.ts';
import { Playout } from './playout.ts';
import { Loudspeaker, randomFrom, timesMsOf, type Sound } from './testing/loudspeaker.ts';

const RATE_HZ = 8000;
const SAMPLES_PER_MS = RATE_HZ / 1000;
/** Each sample equals its index, so a played sample shows its position in the clip. */
const CLIP = Int16Array.from({ length: 997 }, (_, i) => i);
/** Voice samples are multiples of this step, so the test can separate voice and background. */
const VOICE_STEP = 1000;

/** Advances on request. Its only timer (the pacer's) fires as late as the test requests. */
class ManualClock implements Clock {
  #nowMs = 1000;
  #timer: { atMs: number; fire: () => void } | null = null;

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  get sleeps(): boolean {
    return this.#timer === null;
  }

  setTimer(delayMs: number, fire: () => void): { cancel: () => void } {
    this.#timer = { atMs: this.#nowMs + delayMs, fire };
    return { cancel: () => (this.#timer = null) };
  }

  beat(lateMs = 0): void {
    const timer = this.#timer;
    this.#timer = null;
    this.#nowMs = (timer?.atMs ?? this.#nowMs + 5) + lateMs;
    timer?.fire();
  }
}

function start({ volume = 1, leadMs = 60, clip = CLIP, isPlayed = true, hasBackground = true } = {}) {
  const clock = new ManualClock();
  const speaker = new Loudspeaker(RATE_HZ);
  const written: { atMs: number; samples: number }[] = [];
  const pacer = new Pacer(clock);
  const mixer = new OutputMixer({
    output: {
      outputFormat: { sampleRateHz: RATE_HZ },
      outputLeadMs: leadMs,
      write(samples) {
        written.push({ atMs: clock.nowMs(), samples: samples.length });
        if (isPlayed) speaker.play(samples, clock.nowMs());
      },
      clear: () => speaker.clear(clock.nowMs()),
    },
    pacer,
    clock,
    onFatalError: (error) => {
      throw error;
    },
  });
  if (hasBackground) mixer.playBackground(clip, volume);
  return { clock, speaker, written, pacer, mixer };
}

function playoutOf(utterance: AgentUtterance, output: OutputMixer, played: Sound[]): Playout {
  return new Playout(utterance, output.outputLeadMs, output, {
    onStarted: () => undefined,
    onPlayed: () => undefined,
    onFinished: () => undefined,
    onFrameSent: () => undefined,
    onSilent: () => undefined,
    onStarved: () => undefined,
    onFatalError: (error) => {
      throw error;
    },
    onAudio: (samples, startMs) => played.push({ startMs, samples: [...samples] }),
  });
}

describe('OutputMixer', () => {
  it.each([
    [1, 60],
    [2, 60],
    [3, 60],
    [4, 20],
    [5, 0],
    [6, 1000],
  ])('plays the clip without a gap and every voice sample once (run %d, buffer of %d ms)', (seed, leadMs) => {
    const random = randomFrom(seed * 7919);
    const { clock, speaker, pacer, mixer } = start({ leadMs });
    const utterance = new AgentUtterance(RATE_HZ, 100_000);
    const played: Sound[] = [];
    const playout = playoutOf(utterance, mixer, played);
    pacer.add(playout);
    // Voice audio arrives in chunks, some too late; playout pauses and resumes; some ticks are late.
    let voice = 0;
    for (let beat = 0; beat < 4000; beat += 1) {
      if (!utterance.complete && random(8) === 0) {
        const length = SAMPLES_PER_MS * random(50);
        utterance.append(Int16Array.from({ length }, (_, i) => VOICE_STEP * (1 + ((voice + i) % 29))));
        voice += length;
        if (beat > 3000) utterance.finish(false);
      }
      if (random(60) === 0 && !playout.paused) {
        playout.pause(clock.nowMs());
        mixer.clear();
      } else if (playout.paused && random(20) === 0) {
        playout.resume(clock.nowMs());
      }
      clock.beat(random(20) === 0 ? random(80) : 0);
    }
    if (playout.paused) playout.resume(clock.nowMs());
    for (let i = 0; i < 1000; i += 1) clock.beat();

    const { sound } = speaker;
    const clipPositions = sound.map((sample) => sample % VOICE_STEP);
    expect(clipPositions.findIndex((position, i) => position !== i % CLIP.length)).toBe(-1);
    const voices = sound.map((sample) => Math.floor(sample / VOICE_STEP)).filter((step) => step > 0);
    expect(voices).toHaveLength(voice);
    expect(voices.findIndex((step, i) => step !== 1 + (i % 29))).toBe(-1);

    // Voice audio is reported with the time at which it is played, after the background audio before it.
    const timesMs = speaker.timesMs.filter((_, i) => (sound[i] ?? 0) >= VOICE_STEP);
    const reportedMs = timesMsOf(played, SAMPLES_PER_MS);
    expect(reportedMs).toHaveLength(voice);
    const worstMs = reportedMs.reduce((worst, ms, i) => Math.max(worst, Math.abs(ms - (timesMs[i] ?? 0))), 0);
    expect(worstMs).toBeLessThan(1);
  });

  it('fills the output buffer when the voice starts late in a tick', () => {
    const { clock, written, mixer } = start({ hasBackground: false });
    const utterance = new AgentUtterance(RATE_HZ, 100_000);
    utterance.append(new Int16Array(1000 * SAMPLES_PER_MS));
    playoutOf(utterance, mixer, []).pump(clock.nowMs() - 3);
    expect(written).toHaveLength(3);
  });

  it('applies the volume and clips at full scale', () => {
    const clip = Int16Array.from([20_000, -20_000, 10_000, 3]);
    const { speaker, mixer } = start({ volume: 0.5, clip });
    mixer.write(Int16Array.from([30_000, -30_000, 100, 0]));
    expect(speaker.sound).toEqual([32_767, -32_768, 5100, 2]);
  });

  it('stays within its lead for an hour of playback', () => {
    const random = randomFrom(11);
    const { clock, written } = start({ isPlayed: false });
    const startMs = clock.nowMs();
    while (clock.nowMs() - startMs < 3_600_000) clock.beat(random(10) === 0 ? random(15) : 0);
    const elapsedMs = clock.nowMs() - startMs;
    const writtenMs = written.reduce((sum, { samples }) => sum + samples, 0) / SAMPLES_PER_MS;
    expect(writtenMs - elapsedMs).toBeGreaterThanOrEqual(15);
    expect(writtenMs - elapsedMs).toBeLessThanOrEqual(40);
  });

  it('does not send missed audio afterwards when a tick is 700 ms late', () => {
    const { clock, written } = start();
    for (let i = 0; i < 20; i += 1) clock.beat();
    const before = written.length;
    clock.beat(700);
    expect(written.length - before).toBe(2);
    const nowMs = clock.nowMs();
    for (let i = 0; i < 200; i += 1) clock.beat();
    expect(Math.abs((written.length - before - 2) * 20 - (clock.nowMs() - nowMs))).toBeLessThanOrEqual(20);
  });

  it('continues the clip at the playback position when the output is cleared', () => {
    const { clock, speaker, mixer } = start({ leadMs: 200 });
    for (let frame = 0; frame < 10; frame += 1) mixer.write(new Int16Array(160));
    for (let i = 0; i < 7; i += 1) clock.beat();
    mixer.clear();
    const [next] = speaker.played.slice(-2);
    expect(next?.startMs).toBe(clock.nowMs());
    expect(next?.samples[0]).toBe((35 * SAMPLES_PER_MS) % CLIP.length);
  });

  it('passes the voice through unchanged and starts no clip after it is closed', () => {
    const { clock, speaker, mixer } = start();
    mixer.close();
    mixer.write(Int16Array.from([1000, 2000]));
    mixer.playBackground(CLIP, 1);
    clock.beat();
    expect(speaker.sound).toEqual([1000, 2000]);
    expect(clock.sleeps).toBe(true);
  });
});
