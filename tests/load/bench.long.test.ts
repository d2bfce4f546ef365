import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { BENCH_MEDIA } from '../bench/bench-options.ts';
import type { ComparedRun } from '../bench/compare/comparison.ts';
import type { BenchReport } from '../bench/report.ts';

const BENCH = join(import.meta.dirname, '../bench/main.ts');

describe('npm run bench', () => {
  it.each(BENCH_MEDIA)(
    'runs calls by %s on the whole system and reports measurements',
    async (medium) => {
      const dir = await mkdtemp(join(tmpdir(), 'bench-test-'));
      try {
        const jsonPath = join(dir, 'report.json');
        const args = [
          '--calls',
          '2',
          '--seconds',
          '15',
          '--warm-up-ms',
          '500',
          '--medium',
          medium,
          '--recording',
          '--json',
          jsonPath,
        ];
        const { stdout } = await promisify(execFile)(process.execPath, [BENCH, ...args], { timeout: 80_000 });
        const report = JSON.parse(await readFile(jsonPath, 'utf8')) as BenchReport & ComparedRun;
        expect(stdout).toContain('added latency');
        expect(stdout).toMatch(/stolen [\d.]+ % +other processes [\d.]+ %/);
        expect(report.machineUse.ownPercent).toBeGreaterThan(0);
        expect(report.figures['worker CPU, % of a core per call']).toBe(report.workerCpuPercentPerCall);
        expect(report.turns).toMatchObject({ unanswered: 0, lostCalls: [] });
        expect(report.turns.answered).toBeGreaterThan(0);
        // A response before the endpoint delay cannot belong to the measured utterance.
        expect(report.answerMs.p50).toBeGreaterThan(350);
        expect(report.addedMs.p50).toBeCloseTo(report.answerMs.p50 - 384, 0);
        expect(report.frameLatenessMs.count).toBeGreaterThan(100);
        expect(report.cpuPercent['media-worker']).toBeGreaterThan(0);
        expect(report.vadCpuPercentPerCall).toBeGreaterThan(0);
        expect(report.vadCpuPercentPerCall).toBeLessThan(report.workerCpuPercentPerCall);
        expect(report.capacity.measured).toBeGreaterThanOrEqual(medium === 'webrtc' ? 12 : 30);
        expect(report.capacity.observed).toBeGreaterThanOrEqual(1);
        expect(report.capacity.predictedPercentPerCall).toBeGreaterThan(0);
        expect(report.memory.workerMb).toBeGreaterThan(20);
      } finally {
        await rm(dir, { recursive: true });
      }
    },
    90_000,
  );
});
