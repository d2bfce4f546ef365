import { cpus, totalmem } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { silentLogger } from '@calls/foundation';
import { capacityOf, measureCapacity, readMachine } from '@calls/media-worker';
import { createSileroEngine } from '@calls/providers';
import { seededRandom } from '@calls/testkit';
import { BenchCall, type Measurements } from './bench-call.ts';
import type { BenchOptions } from './bench-options.ts';
import { startBenchStack, type BenchStack } from './bench-stack.ts';
import { distributionOf, round } from './distribution.ts';
import { Heartbeat } from './heartbeat.ts';
import { cpuMsOfMainThread, cpuMsOfThreads, usageOf, usageOfTree } from './process-usage.ts';
import type { BenchReport } from './report.ts';
import { MetricsReading, quantileBound } from './scrape.ts';
import { ENDPOINT_DELAY_MS, prepareUtterances, type Utterance } from './utterances.ts';

/** The media worker's thread that runs the model of voice activity. */
const VAD_THREAD = 'silero';
/** Node's monitor samples every 10 ms, and counts that in. */
const LAG_SAMPLING_MS = 10;
const MB = 1024 * 1024;
const FRAME_LATENESS = 'calls_frame_lateness_ms';

export async function runBench(options: BenchOptions, say: (line: string) => void): Promise<BenchReport> {
  const { utterances, capacity } = await prepare(options.sampleRateHz);
  say('starting the system');
  await using bench = await startBenchStack(options);
  const measurements: Measurements = {
    isOpen: false,
    answerMs: [],
    frameLatenessMs: [],
    gaps: 0,
    early: 0,
    unanswered: 0,
    lost: [],
  };
  const calls: BenchCall[] = [];
  const heartbeat = new Heartbeat((nowMs) => {
    for (const call of calls) call.pump(nowMs);
  });
  const workerPid = pidOf(bench, 'media-worker');
  const workerBeforeMb = usageOf(workerPid).rssBytes / MB;
  say(`starting ${options.calls} calls`);
  await startCalls(bench, options, utterances, measurements, calls);
  await after(options.warmUpMs);
  say(`measuring for ${options.seconds} s`);
  const before = await look(bench);
  heartbeat.lagMs.length = 0;
  measurements.isOpen = true;
  await after(options.seconds * 1000);
  measurements.isOpen = false;
  const clientLag = distributionOf(heartbeat.lagMs);
  const now = await look(bench);
  await Promise.all(calls.map((call) => call.hangUp()));
  heartbeat.stop();

  const elapsedMs = now.atMs - before.atMs;
  const cpuPercent = Object.fromEntries(
    Object.entries(now.cpuMs).map(([name, cpuMs]) => [
      name,
      round(((cpuMs - (before.cpuMs[name] ?? 0)) / elapsedMs) * 100),
    ]),
  );
  const { sttMs, llmMs, ttsMs } = options.delays;
  // Words are recognised ahead of the turn's end in any case.
  const waitMs = options.speculation
    ? Math.max(ENDPOINT_DELAY_MS, sttMs + llmMs + ttsMs)
    : Math.max(ENDPOINT_DELAY_MS, sttMs) + llmMs + ttsMs;
  const lateness = [before.metrics.buckets(FRAME_LATENESS), now.metrics.buckets(FRAME_LATENESS)] as const;
  const workerMb = now.workerRssBytes / MB;
  const lag = (part: string): number => {
    const seconds = now.metrics.value(`nodejs_eventloop_lag_${part}_seconds`);
    return round(Math.max(0, seconds * 1000 - LAG_SAMPLING_MS));
  };
  return {
    options,
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / MB / 1024),
      node: process.version,
    },
    turns: {
      answered: measurements.answerMs.length,
      early: measurements.early,
      unanswered: measurements.unanswered,
      lostCalls: measurements.lost,
    },
    answerMs: distributionOf(measurements.answerMs),
    addedMs: distributionOf(measurements.answerMs.map((ms) => ms - waitMs)),
    waitMs,
    frameLatenessMs: { ...distributionOf(measurements.frameLatenessMs), gaps: measurements.gaps },
    workerFrameLatenessMs: { p50: quantileBound(...lateness, 0.5), p99: quantileBound(...lateness, 0.99) },
    eventLoopLagMs: { workerP50: lag('p50'), workerP99: lag('p99'), clientP99: clientLag.p99 },
    cpuPercent,
    workerCpuPercentPerCall: round((cpuPercent['media-worker'] ?? 0) / options.calls),
    capacity: {
      measured: capacity,
      observed: observedCapacity(
        options.calls,
        (now.mainThreadCpuMs - before.mainThreadCpuMs) / elapsedMs,
        (cpuPercent['media-worker'] ?? 0) / 100,
      ),
    },
    vadCpuPercentPerCall: round(((now.vadCpuMs - before.vadCpuMs) / elapsedMs / options.calls) * 100),
    memory: {
      workerBeforeMb: round(workerBeforeMb),
      workerMb: round(workerMb),
      mbPerCall: round((workerMb - workerBeforeMb) / options.calls),
      heapUsedMb: round(now.metrics.value('nodejs_heap_size_used_bytes') / MB),
    },
  };
}

/** `capacity` is measured before anything else runs. */
async function prepare(sampleRateHz: number): Promise<{ utterances: Utterance[]; capacity: number }> {
  await using engine = await createSileroEngine({ log: silentLogger });
  const capacity = await measureCapacity(engine, 1, silentLogger);
  return { utterances: await prepareUtterances(engine, sampleRateHz), capacity };
}

/** By what `calls` calls took of the worker's main thread and of its others, as parts of a core. */
function observedCapacity(calls: number, mainThread: number, all: number): number {
  const cost = { mainThread: mainThread / calls, otherThreads: (all - mainThread) / calls };
  return capacityOf(cost, { ...readMachine(), workers: 1 }).calls;
}

async function startCalls(
  bench: BenchStack,
  options: BenchOptions,
  utterances: readonly Utterance[],
  measurements: Measurements,
  calls: BenchCall[],
): Promise<void> {
  const random = seededRandom(1);
  const { sampleRateHz } = options;
  const start = async (): Promise<void> => {
    const joinUrl = await bench.createCall();
    calls.push(await BenchCall.join({ joinUrl, sampleRateHz, utterances, measurements, random }));
  };
  const starting: Promise<void>[] = [];
  for (let call = 0; call < options.calls; call += 1) {
    starting.push(start());
    // Spread over the beats of the worker and of the frames.
    await after(options.rampMs + random() * 20);
  }
  await Promise.all(starting);
}

interface Look {
  atMs: number;
  cpuMs: Record<string, number>;
  workerRssBytes: number;
  vadCpuMs: number;
  mainThreadCpuMs: number;
  metrics: MetricsReading;
}

/** Reading the metrics begins a new measurement of the event loop's lag. */
async function look(bench: BenchStack): Promise<Look> {
  const metrics = await MetricsReading.of(bench.workerMetricsPort);
  const worker = usageOf(pidOf(bench, 'media-worker'));
  const { processes } = bench.stack.servers;
  const servers = (['postgresql', 'redis', 'nats'] as const).map((name) => processes.get(name)?.pid ?? 0);
  return {
    atMs: performance.now(),
    workerRssBytes: worker.rssBytes,
    vadCpuMs: cpuMsOfThreads(pidOf(bench, 'media-worker'), VAD_THREAD),
    mainThreadCpuMs: cpuMsOfMainThread(pidOf(bench, 'media-worker')),
    metrics,
    cpuMs: {
      'media-worker': worker.cpuMs,
      'control-plane': usageOf(pidOf(bench, 'control-plane')).cpuMs,
      dispatcher: usageOf(pidOf(bench, 'dispatcher')).cpuMs,
      servers: servers.reduce((sum, pid) => sum + usageOfTree(pid).cpuMs, 0),
      'stand-ins': usageOf(bench.standIn.pid).cpuMs,
      callers: usageOf(process.pid).cpuMs,
    },
  };
}

function pidOf(bench: BenchStack, service: 'media-worker' | 'control-plane' | 'dispatcher'): number {
  const { pid } = bench.stack.services[service];
  if (pid === undefined) throw new Error(`${service} is down`);
  return pid;
}
