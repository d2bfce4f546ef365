import { describe, expect, it } from '@jest/globals';
import { AgentUtterance } from './agent-utterance.ts';
import { Playout } from './playout.ts';
import { Loudspeaker, randomFrom, timesMsOf, type Sound } from './testing/loudspeaker.ts';

const RATE_HZ = 24_000;
const SAMPLES_PER_MS = RATE_HZ / 1000;
const LEAD_MS = 60;

describe('Playout audio tap', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'reports each sample exactly once, with its playback time (run %d)',
    (seed) => {
      const random = randomFrom(seed * 7919);
      const utterance = new AgentUtterance(RATE_HZ, 100_000);
      const speaker = new Loudspeaker(RATE_HZ);
      const reported: Sound[] = [];
      let nowMs = 1000;
      const sink = { write: (frame: Int16Array) => speaker.play(frame, nowMs) };
      const playout = new Playout(utterance, LEAD_MS, sink, {
        onStarted: () => undefined,
        onPlayed: () => undefined,
        onFinished: () => undefined,
        onFrameSent: () => undefined,
        onSilent: () => undefined,
        onStarved: () => undefined,
        onFatalError: (error) => {
          throw error;
        },
        onAudio: (samples, startMs) => reported.push({ startMs, samples: [...samples] }),
      });
      // Audio arrives in chunks, some too late; the playout pauses and resumes; some ticks are late.
      let written = 0;
      for (let beat = 0; beat < 3000; beat += 1) {
        nowMs += 5 + (random(20) === 0 ? random(80) : 0);
        if (!utterance.complete && random(6) === 0) {
          const length = random(1200);
          utterance.append(Int16Array.from({ length }, (_, i) => (written + i) % 30_000));
          written += length;
          if (beat > 2000) utterance.finish(false);
        }
        if (random(60) === 0 && !playout.paused) {
          playout.pause(nowMs);
          speaker.clear(nowMs);
        } else if (playout.paused && random(20) === 0) {
          playout.resume(nowMs);
        } else {
          playout.pump(nowMs);
        }
      }
      if (playout.paused) playout.resume(nowMs);
      for (let i = 0; i < 1000; i += 1) playout.pump((nowMs += 5));

      const all = reported.flatMap(({ samples }) => samples);
      expect(all).toHaveLength(written);
      expect(all.findIndex((sample, i) => sample !== i % 30_000)).toBe(-1);
      const played = speaker.timesMs;
      expect(played).toHaveLength(written);
      const worstMs = timesMsOf(reported, SAMPLES_PER_MS).reduce(
        (worst, ms, i) => Math.max(worst, Math.abs(ms - (played[i] ?? 0))),
        0,
      );
      expect(worstMs).toBeLessThan(1);
    },
  );
});

describe('Playout over an hour', () => {
  it('drifts less than 10 ppm and never lets the remote buffer run dry when ticks are late', () => {
    const random = randomFrom(5);
    const rateHz = 8000;
    const utterance = new AgentUtterance(rateHz, 10_000);
    const written = { samples: 0, startMs: Number.NaN };
    let nowMs = 1000;
    let latestMs = 0;
    let outOfBounds = 0;
    const sink = {
      write: (frame: Int16Array) => {
        if (written.samples === 0) written.startMs = nowMs;
        written.samples += frame.length;
        // The buffer at the other end never runs dry, and never holds more than the lead.
        const aheadMs = written.startMs + (written.samples * 1000) / rateHz - nowMs;
        if (aheadMs <= 0 || aheadMs > LEAD_MS + 1) outOfBounds += 1;
        latestMs = nowMs;
      },
    };
    const playout = new Playout(utterance, LEAD_MS, sink, {
      onStarted: () => undefined,
      onPlayed: () => undefined,
      onFinished: () => undefined,
      onFrameSent: () => undefined,
      onSilent: () => undefined,
      onStarved: () => {
        throw new Error('starved');
      },
      onFatalError: (error) => {
        throw error;
      },
      onAudio: null,
    });
    const second = (): Int16Array => new Int16Array(rateHz);
    while (nowMs < 3_601_000) {
      if (utterance.writtenSamples - written.samples < rateHz) utterance.append(second());
      playout.pump(nowMs);
      nowMs += 5 + (random(10) === 0 ? random(30) : 0);
    }
    const playedMs = (written.samples * 1000) / rateHz - LEAD_MS;
    const driftPpm = (Math.abs(playedMs - (latestMs - written.startMs)) / 3_600_000) * 1e6;
    expect(driftPpm).toBeLessThan(10);
    expect(outOfBounds).toBe(0);
  });
});
