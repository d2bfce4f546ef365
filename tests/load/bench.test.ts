import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ArrivalSchedule } from '../bench/arrival-schedule.ts';
import { readBenchOptions } from '../bench/bench-options.ts';
import { distributionOf } from '../bench/distribution.ts';
import type { BenchReport } from '../bench/report.ts';
import { MetricsReading, quantileBound } from '../bench/scrape.ts';

const BENCH = join(import.meta.dirname, '../bench/main.ts');

describe('npm run bench', () => {
  it('has calls answered over the whole system and reports what it measured', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bench-test-'));
    try {
      const jsonPath = join(dir, 'report.json');
      const args = [
        '--calls',
        '2',
        '--seconds',
        '8',
        '--warm-up-ms',
        '500',
        '--rate',
        '8000',
        '--json',
        jsonPath,
      ];
      const { stdout } = await promisify(execFile)(process.execPath, [BENCH, ...args], { timeout: 80_000 });
      const report = JSON.parse(await readFile(jsonPath, 'utf8')) as BenchReport;
      expect(stdout).toContain('added latency');
      expect(report.turns).toMatchObject({ unanswered: 0, lostCalls: [] });
      expect(report.turns.answered).toBeGreaterThan(0);
      // An answer that came before the endpoint delay had passed would be no answer to what was measured.
      expect(report.answerMs.p50).toBeGreaterThan(350);
      expect(report.addedMs.p50).toBeCloseTo(report.answerMs.p50 - 384, 0);
      expect(report.frameLatenessMs.count).toBeGreaterThan(100);
      expect(report.cpuPercent['media-worker']).toBeGreaterThan(0);
      expect(report.memory.workerMb).toBeGreaterThan(20);
    } finally {
      await rm(dir, { recursive: true });
    }
  }, 90_000);

  it('refuses options that make no sense', () => {
    expect(() => readBenchOptions(['--calls', 'many'])).toThrow('--calls must be a whole number');
    expect(() => readBenchOptions(['--rate', '4000'])).toThrow('--rate');
    expect(() => readBenchOptions(['--call', '5'])).toThrow('--call');
    expect(readBenchOptions([])).toMatchObject({ calls: 50, sampleRateHz: 16_000, jsonPath: null });
  });
});

describe('what the bench measures with', () => {
  it('knows late audio from audio that fills the buffer', () => {
    const schedule = new ArrivalSchedule(60);
    const arrivals = [0, 0, 0, 20, 47, 60].map((nowMs) => schedule.arrived(20, nowMs).latenessMs);
    expect(arrivals).toEqual([0, 0, 0, 0, 7, 0]);
    expect(schedule.playedUntilMs).toBe(120);
    expect(schedule.arrived(20, 121)).toEqual({ latenessMs: 41, isGap: true });
    expect(schedule.playedUntilMs).toBe(141);
    schedule.restart();
    expect(schedule.arrived(20, 5000)).toEqual({ latenessMs: 0, isGap: false });
  });

  it('reads metrics, and what came between two readings', () => {
    const page = (low: number, high: number): MetricsReading =>
      new MetricsReading(
        [
          '# TYPE x_ms histogram',
          `x_ms_bucket{le="1",service="w"} ${low}`,
          `x_ms_bucket{le="5",service="w"} ${high}`,
          `x_ms_bucket{le="+Inf",service="w"} ${high + 1}`,
          'lag_seconds{service="w"} 0.012',
          'lag_seconds_other 5',
        ].join('\n'),
      );
    const before = page(100, 100).buckets('x_ms');
    const after = page(190, 199).buckets('x_ms');
    expect(page(0, 0).value('lag_seconds')).toBe(0.012);
    expect(quantileBound(before, after, 0.5)).toBe(1);
    expect(quantileBound(before, after, 0.99)).toBe(5);
    expect(quantileBound(before, before, 0.5)).toBeNaN();
    expect(distributionOf([3, 1, 2])).toEqual({ count: 3, p50: 2, p90: 3, p99: 3, max: 3 });
  });
});
