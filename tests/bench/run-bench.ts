import { cpus, totalmem } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { toError } from '@calls/foundation/errors';
import { silentLogger } from '@calls/foundation/logger';
import { capacityOf, type CallCost } from '@calls/media-worker/capacity/capacity';
import { readMachine } from '@calls/media-worker/capacity/machine';
import { measureCapacity } from '@calls/media-worker/capacity/measured-capacity';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { seededRandom } from '@calls/audio/noise';
import { BenchCall, noMeasurements, type Measurements } from './bench-call.ts';
import type { BenchOptions } from './bench-options.ts';
import { startBenchStack, type BenchStack } from './bench-stack.ts';
import type { CallerMedium } from './callers/caller-medium.ts';
import { openMedium } from './callers/medium-of.ts';
import { distributionOf, round } from './distribution.ts';
import { Heartbeat } from './heartbeat.ts';
import { readResourceUsage, readMemoryUsage, type MemoryUsage } from './resource-usage.ts';
import { watchMachine } from './machine-use.ts';
import type { BenchReport, MemoryMb, Reload } from './report.ts';
import { quantileBound } from './scrape.ts';
import { ENDPOINT_DELAY_MS, prepareScript, type Script } from './utterances.ts';

/** The monitor of Node.js samples every 10 ms and includes this interval in its values. */
const LAG_SAMPLING_MS = 10;
const MB = 1024 * 1024;
/** Time for garbage collection after the calls. */
const CALM_MS = 3000;
const FRAME_LATENESS = 'calls_frame_lateness_ms';

export async function runBench(options: BenchOptions, say: (line: string) => void): Promise<BenchReport> {
  await using medium = await openMedium(options);
  const { script, predicted } = await prepare(medium);
  say('starting the system');
  await using bench = await startBenchStack(options);
  const measurements = noMeasurements();
  const calls: BenchCall[] = [];
  const heartbeat = new Heartbeat((nowMs) => {
    for (const call of calls) call.pump(nowMs);
  });
  const memoryBefore = readMemoryUsage(bench);
  say(`starting ${options.calls} calls`);
  await startCalls(bench, options, { medium, script, measurements }, calls);
  await after(options.warmUpMs);
  say(`measuring for ${options.seconds} s`);
  const before = await readResourceUsage(bench);
  const readMachineUse = watchMachine();
  heartbeat.lagMs.length = 0;
  measurements.isOpen = true;
  await after(options.seconds * 1000);
  measurements.isOpen = false;
  const clientLag = distributionOf(heartbeat.lagMs);
  const now = await readResourceUsage(bench);
  const machineUse = readMachineUse();
  const packets = { received: 0, lost: 0 };
  for (const call of calls) {
    packets.received += call.packets.received;
    packets.lost += call.packets.lost;
  }
  const hangUp = (): Promise<unknown> => Promise.all(calls.splice(0).map((call) => call.hangUp()));
  await hangUp();
  const reloads: Reload[] = [];
  for (let reload = 0; reload < options.reloads; reload += 1) {
    if (reload === 0) say(`starting and ending all calls ${options.reloads} times more`);
    const { openedMs, lost } = await startCalls(
      bench,
      options,
      { medium, script, measurements: noMeasurements() },
      calls,
    );
    await hangUp();
    await after(CALM_MS);
    const memory = memoryMb(readMemoryUsage(bench));
    reloads.push({ openedMs: distributionOf(openedMs), lostCalls: lost, memory });
  }
  heartbeat.stop();

  const elapsedMs = now.atMs - before.atMs;
  const cpuPercent = Object.fromEntries(
    Object.entries(now.cpuMs).map(([name, cpuMs]) => [
      name,
      round(((cpuMs - (before.cpuMs[name] ?? 0)) / elapsedMs) * 100),
    ]),
  );
  const perCall = (cpuMs: number): number => round((cpuMs / elapsedMs / options.calls) * 100);
  const { sttMs, llmMs, ttsMs } = options.delays;
  // STT always runs before the end of the turn.
  const waitMs = options.speculation
    ? Math.max(ENDPOINT_DELAY_MS, sttMs + llmMs + ttsMs)
    : Math.max(ENDPOINT_DELAY_MS, sttMs) + llmMs + ttsMs;
  const lateness = [before.metrics.buckets(FRAME_LATENESS), now.metrics.buckets(FRAME_LATENESS)] as const;
  const workerMb = now.memory.workerBytes / MB;
  const workerBeforeMb = memoryBefore.workerBytes / MB;
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
    machineUse,
    turns: {
      answered: measurements.answerMs.length,
      early: measurements.early,
      unanswered: measurements.unanswered,
      lostCalls: measurements.lost,
    },
    setUpMs: {
      opened: distributionOf(measurements.openedMs),
      joined: distributionOf(measurements.joinedMs),
      firstAudio: distributionOf(measurements.firstAudioMs),
    },
    packets,
    answerMs: distributionOf(measurements.answerMs),
    addedMs: distributionOf(measurements.answerMs.map((ms) => ms - waitMs)),
    waitMs,
    frameLatenessMs: { ...distributionOf(measurements.frameLatenessMs), gaps: measurements.gaps },
    workerFrameLatenessMs: { p50: quantileBound(...lateness, 0.5), p99: quantileBound(...lateness, 0.99) },
    eventLoopLagMs: { workerP50: lag('p50'), workerP99: lag('p99'), clientP99: clientLag.p99 },
    cpuPercent,
    workerCpuPercentPerCall: round((cpuPercent['media-worker'] ?? 0) / options.calls),
    mediasoupCpuPercentPerCall: round((cpuPercent['mediasoup'] ?? 0) / options.calls),
    capacity: {
      measured: predicted.calls,
      predictedPercentPerCall: round((predicted.cost.mainThread + predicted.cost.otherThreads) * 100),
      observed: observedCapacity(
        options.calls,
        (now.mainThreadCpuMs - before.mainThreadCpuMs) / elapsedMs,
        ((cpuPercent['media-worker'] ?? 0) + (cpuPercent['mediasoup'] ?? 0)) / 100,
      ),
    },
    mainThreadCpuPercentPerCall: perCall(now.mainThreadCpuMs - before.mainThreadCpuMs),
    vadCpuPercentPerCall: perCall(now.vadCpuMs - before.vadCpuMs),
    opusCpuPercentPerCall: perCall(now.opusCpuMs - before.opusCpuMs),
    memory: {
      workerBeforeMb: round(workerBeforeMb),
      workerMb: round(workerMb),
      mbPerCall: round((workerMb - workerBeforeMb) / options.calls),
      mediasoupMbPerCall: round(
        (now.memory.mediasoupBytes - memoryBefore.mediasoupBytes) / MB / options.calls,
      ),
      heapUsedMb: round(now.metrics.value('nodejs_heap_size_used_bytes') / MB),
    },
    reloads,
  };
}

/** Measures the capacity, as a worker does, before anything else runs. */
async function prepare(
  medium: CallerMedium,
): Promise<{ script: Script; predicted: { calls: number; cost: CallCost } }> {
  await using engine = await createSileroEngine({ log: silentLogger });
  const question = { voiceActivity: engine, medium: medium.kind, workers: 1, log: silentLogger };
  const predicted = await measureCapacity(question);
  return { script: await prepareScript(engine, medium), predicted };
}

function memoryMb({ workerBytes, mediasoupBytes }: MemoryUsage): MemoryMb {
  return { workerMb: round(workerBytes / MB), mediasoupMb: round(mediasoupBytes / MB) };
}

/**
 * Capacity estimated from the CPU use of `calls` calls: on the worker's main thread and on all its threads, in cores.
 */
function observedCapacity(calls: number, mainThread: number, all: number): number {
  const cost = { mainThread: mainThread / calls, otherThreads: (all - mainThread) / calls };
  return capacityOf(cost, { ...readMachine(), workers: 1 }).calls;
}

async function startCalls(
  bench: BenchStack,
  options: BenchOptions,
  common: { medium: CallerMedium; script: Script; measurements: Measurements },
  calls: BenchCall[],
): Promise<Measurements> {
  const random = seededRandom(1);
  const { measurements } = common;
  const { createCall } = bench;
  const start = async (): Promise<void> => {
    try {
      calls.push(await BenchCall.join({ ...common, createCall, random }));
    } catch (thrown) {
      measurements.lost.push(`not joined: ${toError(thrown).message}`);
    }
  };
  const starting: Promise<void>[] = [];
  for (let call = 0; call < options.calls; call += 1) {
    starting.push(start());
    // Distributes the calls over the ticks of the worker.
    await after(options.rampMs + random() * 20);
  }
  await Promise.all(starting);
  return measurements;
}
