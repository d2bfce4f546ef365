import { describe, expect, it } from '@jest/globals';
import { ArrivalSchedule } from './arrival-schedule.ts';
import { BENCH_MEDIA, readBenchOptions } from './bench-options.ts';
import { capacityTable, checkedCost, readCapacityOptions } from './capacity/run-capacity.ts';
import { readCompareOptions } from './compare/run-compare.ts';
import { comparisonOf, comparisonTable, type ComparedRun } from './compare/comparison.ts';
import { distributionOf } from './distribution.ts';
import { machineLine, machineUseBetween, parseMachineCpu } from './machine-use.ts';
import type { BenchReport } from './report.ts';
import { MetricsReading, quantileBound } from './scrape.ts';
import { readTargetOptions } from './targets/run-targets.ts';
import { targetsOf, targetTable } from './targets/targets.ts';

describe('npm run bench', () => {
  it('rejects invalid options', () => {
    expect(() => readBenchOptions(['--calls', 'many'])).toThrow('--calls must be a whole number');
    expect(() => readBenchOptions(['--rate', '4000'])).toThrow('--rate');
    expect(() => readBenchOptions(['--call', '5'])).toThrow('--call');
    expect(() => readBenchOptions(['--medium', 'letter'])).toThrow('--medium');
    const rates = BENCH_MEDIA.map((medium) => readBenchOptions(['--medium', medium]).sampleRateHz);
    expect(rates).toEqual([16_000, 16_000, 8000, 8000]);
    expect(readBenchOptions([])).toMatchObject({ calls: 50, sampleRateHz: 16_000, jsonPath: null });
  });
});

const report = (figures: { p50?: number; cpu?: number; lateMs?: number; answered?: number }): BenchReport => {
  const { p50 = 500, cpu = 1, lateMs = 10, answered = 100 } = figures;
  const spread = (p99: number) => ({ count: answered, p50, p90: p50, p95: p50, p99, max: p99 });
  return {
    options: readBenchOptions(['--stt-ms', '120', '--llm-ms', '250', '--tts-ms', '120']),
    machine: { cpu: 'x', cores: 2, memoryGb: 8, node: 'v24' },
    machineUse: { stolenPercent: 0, othersPercent: 5, ownPercent: 40, load: 1, isReliable: true },
    turns: { answered, early: 0, unanswered: 0, lostCalls: [] },
    setUpMs: { opened: spread(20), joined: spread(50), firstAudio: spread(300) },
    packets: { received: 0, lost: 0 },
    answerMs: spread(600),
    addedMs: spread(50),
    waitMs: 522,
    frameLatenessMs: { ...spread(lateMs), gaps: 0 },
    workerFrameLatenessMs: { p50: 1, p99: 5 },
    eventLoopLagMs: { workerP50: 1, workerP99: 2, clientP99: 3 },
    cpuPercent: {},
    workerCpuPercentPerCall: cpu,
    mediasoupCpuPercentPerCall: 0,
    mainThreadCpuPercentPerCall: 0.5,
    vadCpuPercentPerCall: 0.15,
    opusCpuPercentPerCall: 0,
    capacity: { measured: 120, observed: 130, predictedPercentPerCall: 0.66 },
    memory: {
      workerBeforeMb: 200,
      workerMb: 300,
      mbPerCall: 1.5,
      mediasoupMbPerCall: 0,
      heapUsedMb: 90,
    },
    reloads: [],
  };
};

describe('npm run bench -- targets', () => {
  const reports = {
    streaming: report({}),
    speculating: report({ p50: 600 }),
    waiting: report({ p50: 760 }),
    few: report({}),
    many: report({}),
  };
  const missed = (changed: Partial<typeof reports>): string[] =>
    targetsOf({ ...reports, ...changed }).flatMap(({ figure, isMet }) => (isMet ? [] : [figure]));

  it('reports which targets are met', () => {
    expect(missed({})).toEqual([]);
    expect(missed({ streaming: report({ p50: 531 }) })).toEqual(['voice to voice, streaming STT, median']);
    expect(missed({ speculating: report({ p50: 645 }) })).toEqual(['… STT after the pause, median']);
    expect(missed({ waiting: report({ p50: 915 }) })).toEqual(['… without speculation, median']);
    expect(missed({ many: report({ lateMs: 21 }) })).toEqual(['50 calls, frame lateness at the caller p99']);
    expect(missed({ many: report({ cpu: 1.16 }) })).toEqual([
      'CPU time per call, with 50 calls instead of 50',
    ]);
    expect(missed({ many: report({ cpu: 1.21 }) })).toHaveLength(2);
    // A target without measurements is not met.
    expect(missed({ many: report({ lateMs: NaN, answered: 0, cpu: NaN }) })).toHaveLength(4);
    expect(targetTable(targetsOf(reports))).toContain(
      '| 50 calls, memory per call | ≤ 2 MB | 1.5 MB | yes |',
    );
  });

  it('rejects invalid options', () => {
    expect(() => readTargetOptions(['--many', '0'])).toThrow('--many must be a whole number');
    expect(readTargetOptions(['--seconds', '5'])).toMatchObject({ seconds: 5, fewCalls: 10, manyCalls: 100 });
  });
});

describe('npm run bench -- capacity', () => {
  it('reads the list of media', () => {
    expect(readCapacityOptions(['--media', 'webrtc', '--calls', '7'])).toEqual([
      readBenchOptions(['--medium', 'webrtc', '--calls', '7', '--recording']),
    ]);
    expect(() => readCapacityOptions(['--media', 'post'])).toThrow('--medium must be');
  });

  it.each([
    [0.66, true],
    [0.79, true],
    [0.53, true],
    [0.8, false],
    [0.52, false],
  ])('compares a predicted 0.66 %% of a core with a measured %s %%', (measured, isMet) => {
    const checked = checkedCost({ ...report({ cpu: measured - 0.1 }), mediasoupCpuPercentPerCall: 0.1 });
    expect(checked).toMatchObject({ predicted: 0.66, measured, isMet });
    expect(capacityTable([checked])).toContain(`| ${isMet ? 'yes' : 'NO'} |`);
  });
});

describe('npm run bench -- compare', () => {
  const run = (cpu: number, isReliable = true): ComparedRun => ({
    machineUse: { stolenPercent: isReliable ? 0 : 3, othersPercent: 0, ownPercent: 0, load: 0, isReliable },
    figures: { cpu, gone: Number.NaN },
  });

  it('compares the runs of a pair, and leaves out unreliable pairs', () => {
    const pairs = [
      { before: run(10), after: run(5) },
      { before: run(20), after: run(16) },
      { before: run(1), after: run(100, false) },
    ];
    const comparison = comparisonOf(JSON.parse(JSON.stringify(pairs)) as typeof pairs);
    expect(comparison.figures).toEqual([
      { figure: 'cpu', before: 15, after: 10.5, ratio: { median: 0.65, min: 0.5, max: 0.8 } },
    ]);
    expect(comparisonTable(comparison)).toContain('| cpu | 15 | 10.5 | 0.65 | 0.50 to 0.80 |');
    expect(comparisonTable(comparison)).toContain('2 reliable pairs of 3');
    expect(comparisonTable(comparisonOf(pairs.slice(2)))).toContain('UNRELIABLE');
  });

  it('reads its own options and those of the runs', () => {
    expect(readCompareOptions(['../main', '--pairs', '5', '--', 'creation', '--rate', '9'])).toEqual({
      other: '../main',
      pairs: 5,
      args: ['creation', '--rate', '9'],
      jsonPath: null,
    });
    expect(() => readCompareOptions(['--pairs', '5'])).toThrow('OTHER_CHECKOUT');
    expect(() => readCompareOptions(['x', '--', '--json', 'f'])).toThrow('--json belongs before');
  });
});

describe('bench measurements', () => {
  it('reports stolen time and the time of other processes', () => {
    const before = parseMachineCpu('cpu  100 0 50 800 10 5 5 30 7 0\ncpu0 1 2 3 4');
    expect(before).toEqual({ totalMs: 10_000, usedMs: 1500, stolenMs: 300 });
    const now = parseMachineCpu('cpu  600 0 150 1100 10 5 5 130 7 0\n');
    const use = machineUseBetween(before, now, 4000, 1.234);
    expect(use).toEqual({
      ...{ stolenPercent: 10, othersPercent: 20, ownPercent: 40 },
      ...{ load: 1.23, isReliable: false },
    });
    expect(machineLine(use)).toContain('UNRELIABLE');
    expect(machineLine({ ...use, isReliable: true })).not.toContain('UNRELIABLE');
  });

  it('distinguishes late audio from audio that fills the buffer', () => {
    const schedule = new ArrivalSchedule(60);
    const arrivals = [0, 0, 0, 20, 47, 60].map((nowMs) => schedule.arrived(20, nowMs).latenessMs);
    expect(arrivals).toEqual([0, 0, 0, 0, 7, 0]);
    expect(schedule.playedUntilMs).toBe(120);
    expect(schedule.arrived(20, 121)).toEqual({ latenessMs: 41, isGap: true });
    expect(schedule.playedUntilMs).toBe(141);
    schedule.restart();
    expect(schedule.arrived(20, 5000)).toEqual({ latenessMs: 0, isGap: false });
  });

  it('counts audio as a gap only if it arrives after the jitter buffer is empty', () => {
    const schedule = new ArrivalSchedule(20, 60);
    const arrivals = [0, 20, 45, 139, 161].map((nowMs) => schedule.arrived(20, nowMs));
    expect(arrivals.map(({ latenessMs }) => latenessMs)).toEqual([0, 0, 5, 79, 62]);
    expect(arrivals.map(({ isGap }) => isGap)).toEqual([false, false, false, true, true]);
  });

  it('computes metric differences between two readings', () => {
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
    expect(distributionOf([3, 1, 2])).toEqual({ count: 3, p50: 2, p90: 3, p95: 3, p99: 3, max: 3 });
  });
});
