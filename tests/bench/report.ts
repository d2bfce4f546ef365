import type { BenchOptions } from './bench-options.ts';
import type { Distribution } from './distribution.ts';
import { machineLine, type MachineUse } from './machine-use.ts';

/** Resident memory of the media-worker and of mediasoup's worker. */
export interface MemoryMb {
  workerMb: number;
  mediasoupMb: number;
}

/** Another round of starting and ending all calls. The processes have compiled their code by then. */
export interface Reload {
  /** Times until the sockets are open. */
  openedMs: Distribution;
  lostCalls: readonly string[];
  /** Memory without calls, after the round. */
  memory: MemoryMb;
}

export interface BenchReport {
  options: BenchOptions;
  machine: { cpu: string; cores: number; memoryGb: number; node: string };
  machineUse: MachineUse;
  turns: { answered: number; early: number; unanswered: number; lostCalls: readonly string[] };
  /**
   * Times until the socket is open, from then until the call has started, and from then until the agent's first audio.
   */
  setUpMs: { opened: Distribution; joined: Distribution; firstAudio: Distribution };
  /** Packets of the agent; zero for media without packets. */
  packets: { received: number; lost: number };
  /** Time from the arrival of the last frame of speech to the first audio at the client. */
  answerMs: Distribution;
  /** Latency that the service adds: `answerMs` minus `waitMs`. */
  addedMs: Distribution;
  /**
   * Configured wait. With speculation: the longer of the endpoint delay and the delays of the simulated engines, which
   * run in parallel. Without speculation, only STT runs during the endpoint delay.
   */
  waitMs: number;
  /** Lateness of audio at the client, including the client's own delays. */
  frameLatenessMs: Distribution & { gaps: number };
  /** Lateness in the media-worker, as upper bounds of histogram buckets. */
  workerFrameLatenessMs: { p50: number; p99: number };
  eventLoopLagMs: { workerP50: number; workerP99: number; clientP99: number };
  /** CPU time in percent of one core. */
  cpuPercent: Record<string, number>;
  workerCpuPercentPerCall: number;
  mediasoupCpuPercentPerCall: number;
  mainThreadCpuPercentPerCall: number;
  /** CPU time of the thread that runs voice activity detection. */
  vadCpuPercentPerCall: number;
  /** CPU time of the thread that encodes and decodes Opus. */
  opusCpuPercentPerCall: number;
  /**
   * Calls per worker on this machine: the default that the worker measures, the estimate from these calls, and the cost
   * of a call that follows from that measurement, including mediasoup, in percent of one core.
   */
  capacity: { measured: number; observed: number; predictedPercentPerCall: number };
  memory: {
    workerBeforeMb: number;
    workerMb: number;
    mbPerCall: number;
    mediasoupMbPerCall: number;
    heapUsedMb: number;
  };
  reloads: readonly Reload[];
}

export function tableOf(report: BenchReport): string {
  const { options, turns, machine } = report;
  const spread = (name: string, { p50, p90, p99, max, count }: Distribution): string =>
    row(name, `p50 ${p50}   p90 ${p90}   p99 ${p99}   max ${max}   (${count})`);
  const cpu = Object.entries(report.cpuPercent).map(([name, percent]) => `${name} ${percent}`);
  return [
    `${options.calls} calls by ${options.medium} at ${options.sampleRateHz} Hz for ${options.seconds} s${options.recording ? ', recorded' : ''}${options.speculation ? '' : ', without speculation'}`,
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGb} GB, Node ${machine.node}, servers and callers included`,
    machineLine(report.machineUse),
    '',
    row('turns', `${turns.answered} answered, ${turns.unanswered} unanswered, ${turns.early} early`),
    ...(turns.lostCalls.length > 0
      ? [row('LOST CALLS', `${turns.lostCalls.length}: ${turns.lostCalls[0] ?? ''}`)]
      : []),
    spread('socket open, ms', report.setUpMs.opened),
    spread('joined after, ms', report.setUpMs.joined),
    spread('first audio, ms', report.setUpMs.firstAudio),
    spread('added latency, ms', report.addedMs),
    spread('response after, ms', report.answerMs),
    row('  configured delays', `${report.waitMs} ms`),
    spread('frame lateness, ms', report.frameLatenessMs),
    row('  audio gaps', String(report.frameLatenessMs.gaps)),
    ...(report.packets.received > 0
      ? [row('  packets', `${report.packets.received} received, ${report.packets.lost} lost`)]
      : []),
    row(
      '  in the worker',
      `p50 ≤ ${report.workerFrameLatenessMs.p50}   p99 ≤ ${report.workerFrameLatenessMs.p99}`,
    ),
    row(
      'event loop lag, ms',
      `worker p50 ${report.eventLoopLagMs.workerP50}   p99 ${report.eventLoopLagMs.workerP99}   (callers p99 ${report.eventLoopLagMs.clientP99})`,
    ),
    row('CPU, % of a core', cpu.join('   ')),
    row(
      '  worker, per call',
      `${report.workerCpuPercentPerCall}, of which main thread ${report.mainThreadCpuPercentPerCall}, voice activity ${report.vadCpuPercentPerCall}, Opus ${report.opusCpuPercentPerCall}`,
    ),
    ...(report.packets.received > 0
      ? [row('  mediasoup, per call', String(report.mediasoupCpuPercentPerCall))]
      : []),
    row(
      'capacity, calls',
      `${report.capacity.measured} measured by the worker, ${report.capacity.observed} calculated from these calls`,
    ),
    row(
      'worker memory, MB',
      `${report.memory.workerMb} (${report.memory.workerBeforeMb} before the calls): ${report.memory.mbPerCall} per call, mediasoup’s ${report.memory.mediasoupMbPerCall}`,
    ),
    ...report.reloads.flatMap(({ openedMs, lostCalls, memory }, i) => [
      spread(`reload ${i + 1}, open, ms`, openedMs),
      row('  memory after, MB', `${memory.workerMb}, mediasoup’s ${memory.mediasoupMb}`),
      ...(lostCalls.length > 0 ? [row('  LOST CALLS', `${lostCalls.length}: ${lostCalls[0] ?? ''}`)] : []),
    ]),
  ].join('\n');
}

/** The figures that `compare` compares. Processor time is the least sensitive to other use of the machine. */
export function figuresOf(report: BenchReport): Record<string, number> {
  const { addedMs, answerMs, frameLatenessMs, memory } = report;
  return {
    'worker CPU, % of a core per call': report.workerCpuPercentPerCall,
    '… main thread': report.mainThreadCpuPercentPerCall,
    'mediasoup CPU, % of a core per call': report.mediasoupCpuPercentPerCall,
    'control-plane CPU, % of a core': report.cpuPercent['control-plane'] ?? 0,
    'servers CPU, % of a core': report.cpuPercent['servers'] ?? 0,
    'memory, MB per call': memory.mbPerCall,
    'response p50, ms': answerMs.p50,
    'added latency p50, ms': addedMs.p50,
    'added latency p99, ms': addedMs.p99,
    'frame lateness p99, ms': frameLatenessMs.p99,
    'joined p99, ms': report.setUpMs.joined.p99,
  };
}

function row(name: string, text: string): string {
  return `${name.padEnd(20)} ${text}`;
}
