import { describe, expect, it } from '@jest/globals';
import { AgentUtterance } from './agent-utterance.ts';
import { Playout } from './playout.ts';
import { randomFrom } from './testing/loudspeaker.ts';

const RATE_HZ = 8000;
const SAMPLES_PER_MS = RATE_HZ / 1000;
const LEAD_MS = 200;

/** A phone that plays the frames it receives and reports its playback lag, which grows when it stalls. */
class SlowPhone {
  lateMs: number;
  sentSamples = 0;
  /** The playback time of each sample that was sent and not cleared. */
  timesMs: number[] = [];
  readonly #clock: { nowMs: number };
  #endMs = 0;
  #played = 0;

  constructor(clock: { nowMs: number }, lateMs: number) {
    this.#clock = clock;
    this.lateMs = lateMs;
  }

  write(frame: Int16Array): void {
    this.#endMs = Math.max(this.#clock.nowMs, this.#endMs);
    for (let i = 0; i < frame.length; i += 1) {
      this.timesMs.push(this.#endMs + i / SAMPLES_PER_MS + this.lateMs);
    }
    this.#endMs += frame.length / SAMPLES_PER_MS;
    this.sentSamples += frame.length;
  }

  /** Increases the lag from now on. */
  getStuck(forMs: number): void {
    this.lateMs += forMs;
    for (let i = this.played(); i < this.timesMs.length; i += 1)
      this.timesMs[i] = (this.timesMs[i] ?? 0) + forMs;
  }

  played(): number {
    while ((this.timesMs[this.#played] ?? Infinity) < this.#clock.nowMs - 1e-6) this.#played += 1;
    return this.#played;
  }

  clear(): void {
    this.timesMs.length = this.played();
    this.#endMs = Math.min(this.#endMs, this.#clock.nowMs);
  }
}

function start(lateMs = 0) {
  const clock = { nowMs: 1000 };
  const phone = new SlowPhone(clock, lateMs);
  const utterance = new AgentUtterance(RATE_HZ, 100_000);
  const positions: number[] = [];
  const sounds: number[] = [];
  const finished: number[] = [];
  const playout = new Playout(
    utterance,
    LEAD_MS,
    { write: (frame) => phone.write(frame), playbackLagMs: () => phone.lateMs },
    {
      onStarted: () => undefined,
      onSilent: () => undefined,
      onPlayed: (position) => positions.push(position),
      onFinished: () => finished.push(clock.nowMs),
      onFrameSent: () => undefined,
      onStarved: () => undefined,
      onAudio: (samples) => sounds.push(...samples),
      onFatalError: (error) => {
        throw error;
      },
    },
  );
  const run = (ms: number): void => {
    for (const untilMs = clock.nowMs + ms; clock.nowMs < untilMs;) {
      clock.nowMs += 5;
      playout.pump(clock.nowMs);
    }
  };
  return { clock, phone, utterance, playout, positions, sounds, finished, run };
}

const counting = (length: number, from = 0): Int16Array =>
  Int16Array.from({ length }, (_, i) => (from + i) % 30_000);

describe('Playout with playback lag', () => {
  it('sends frames on time and delays the playback position by the lag', () => {
    const { clock, phone, utterance, playout, finished, run } = start(300);
    utterance.append(counting(1000 * SAMPLES_PER_MS));
    utterance.finish(false);
    run(600);
    expect(phone.sentSamples / SAMPLES_PER_MS).toBeGreaterThanOrEqual(780);
    expect(Math.abs(playout.playhead(clock.nowMs) - phone.played())).toBeLessThanOrEqual(SAMPLES_PER_MS);
    run(650);
    expect(finished).toEqual([]);
    run(100);
    expect(finished).toHaveLength(1);
    expect(finished[0]).toBeGreaterThanOrEqual(2300);
    expect(finished[0]).toBeLessThanOrEqual(2310);
  });

  it('stops while playback is stalled, never moves backwards, and pauses at the playback position', () => {
    const { clock, phone, utterance, playout, run } = start();
    utterance.append(counting(3000 * SAMPLES_PER_MS));
    run(500);
    const beforeStuck = playout.playhead(clock.nowMs);
    phone.getStuck(400);
    run(300);
    expect(playout.playhead(clock.nowMs)).toBe(beforeStuck);
    // The stall does not delay sending.
    expect(phone.sentSamples / SAMPLES_PER_MS).toBeGreaterThanOrEqual(980);
    playout.pause(clock.nowMs);
    phone.clear();
    expect(playout.playhead(clock.nowMs)).toBe(Math.floor(beforeStuck));
    expect(Math.abs(phone.played() - beforeStuck)).toBeLessThanOrEqual(SAMPLES_PER_MS);
  });

  it('advances the playback position when playback catches up', () => {
    const { clock, phone, utterance, playout, positions, run } = start(500);
    utterance.append(counting(3000 * SAMPLES_PER_MS));
    run(1000);
    phone.lateMs = 0;
    run(20);
    expect(playout.playhead(clock.nowMs) / SAMPLES_PER_MS).toBeCloseTo(1015, -1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it.each([1, 2, 3, 4])('reports every played sample exactly once (run %d)', (seed) => {
    const random = randomFrom(seed * 7919);
    const { clock, phone, utterance, playout, positions, sounds, finished, run } = start();
    let written = 0;
    let ahead = 0;
    for (let beat = 0; beat < 2000; beat += 1) {
      if (!utterance.complete && random(6) === 0) {
        const length = random(80) * SAMPLES_PER_MS;
        utterance.append(counting(length, written));
        written += length;
        if (beat > 1500) utterance.finish(false);
      }
      if (random(150) === 0) phone.getStuck(random(300));
      if (random(80) === 0 && !playout.paused) {
        playout.pause(clock.nowMs);
        phone.clear();
        phone.lateMs = 0;
      } else if (playout.paused && random(10) === 0) {
        playout.resume(clock.nowMs);
      }
      run(5 + (random(20) === 0 ? 60 : 0));
      ahead = Math.max(ahead, playout.playhead(clock.nowMs) - phone.played());
    }
    if (playout.paused) playout.resume(clock.nowMs);
    run(20_000);
    expect(finished).toHaveLength(1);
    expect(ahead).toBeLessThanOrEqual(SAMPLES_PER_MS);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(sounds).toHaveLength(written);
    expect(sounds.findIndex((sample, i) => sample !== i % 30_000)).toBe(-1);
  });
});
