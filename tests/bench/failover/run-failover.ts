import { parseArgs } from 'node:util';
import { loadavg } from 'node:os';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { EndReason } from '@calls/api-contract/rest/enums';
import { delay, systemClock as clock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { raiseThreadPriority } from '@calls/foundation/thread-priority';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import { OPENAI_COMPATIBLE_ENGINE } from '@calls/providers/config/catalogue';
import { STAND_IN_MODEL, startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { agentSpeaksFirst, callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { markdownTable } from '../../support/markdown-table.ts';
import { AnsweringPhone } from '../../support/sip/answering-phone.ts';
import { WorkerPool } from '../../support/worker-pool.ts';
import { distributionOf, round, type Distribution } from '../distribution.ts';
import { usageOf } from '../process-usage.ts';
import { oneOf, wholeNumber } from '../../support/command-options.ts';

/** `kill`: SIGKILL. `freeze`: SIGSTOP. `restart`: SIGTERM, as in a rolling restart. */
const FAULTS = ['kill', 'freeze', 'restart'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FailoverOptions {
  /** Number of live calls, all at one worker. */
  calls: number;
  /** Faults to inject, each into the worker that has the calls. */
  faults: readonly Fault[];
  /** Number of other workers at the time of a fault. */
  successors: number;
}

export function readFailoverOptions(args: readonly string[]): FailoverOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '100' },
      faults: { type: 'string', default: FAULTS.join(',') },
      successors: { type: 'string', default: '2' },
    },
  });
  return {
    calls: wholeNumber('calls', values.calls, 1, 1000),
    faults: values.faults.split(',').map((name) => oneOf('faults', FAULTS, name)),
    successors: wholeNumber('successors', values.successors, 1, 10),
  };
}

export interface FailoverReport {
  fault: Fault;
  /** Load average of the machine before the fault. */
  load: number;
  calls: number;
  /** Number of calls that ended, or have no packets at the end of the measurement. */
  lost: number;
  /** The longest time without a packet at the peer, for each call. */
  pauseMs: Distribution;
  /** Time from the fault to the agent's next audible packet. */
  audibleMs: Distribution;
  /** Processor time of the successors, per call. */
  cpuMsPerCall: number;
  /** Packets that the frozen worker sends when it runs again. */
  strayPackets: number;
}

const HOST = '127.0.0.1';
const VOICE = { engine: OPENAI_COMPATIBLE_ENGINE, settings: { voice: 'alloy' } };
const SIGNALS = { kill: 'SIGKILL', freeze: 'SIGSTOP', restart: 'SIGTERM' } as const;
/** Time after their start until workers can detect failures of others. */
const SETTLE_MS = 5000;
const MEASURE_MS = 8000;
/** A call counts as lost if it has no packet for this long at the end. */
const SILENT_MS = 1000;
/** Time in which a resumed worker is checked for packets to its former calls. */
const THAWED_MS = 3000;
const PLACE_EVERY_MS = 50;
const ANSWER_LIMIT_MS = 60_000;
const END_LIMIT_MS = 10_000;
const POLL_MS = 100;
const FIRST_SPEAKER = agentSpeaksFirst('Hello, who is there?');

/** For each fault, answered SIP calls at one worker are continued by others. */
export async function runFailover(
  options: FailoverOptions,
  say: (line: string) => void,
): Promise<FailoverReport[]> {
  const refusal = raiseThreadPriority();
  if (refusal !== null) say(`pauses include delays of this process: ${refusal}`);
  const reports: FailoverReport[] = [];
  for (const fault of options.faults) {
    say(`${fault}: placing ${options.calls} calls`);
    const report = await measure(fault, options, say);
    say(`${fault}: ${report.lost} of ${report.calls} calls lost`);
    reports.push(report);
  }
  return reports;
}

export function failoverTable(reports: readonly FailoverReport[]): string {
  const rows = reports.map(({ fault, load, calls, lost, pauseMs, audibleMs, cpuMsPerCall, strayPackets }) => [
    ...[fault, load, calls, lost, pauseMs.p50, pauseMs.p99, pauseMs.max],
    ...[audibleMs.p50, audibleMs.p99, cpuMsPerCall, strayPackets],
  ]);
  const head = [
    ...['fault', 'load', 'calls', 'lost', 'pause p50', 'p99', 'max'],
    ...['audible p50', 'p99', 'CPU ms/call', 'late packets'],
  ];
  return markdownTable(head, rows);
}

async function measure(
  fault: Fault,
  { calls: count, successors }: FailoverOptions,
  say: (line: string) => void,
): Promise<FailoverReport> {
  await using standIn = await startAiStandIn();
  await using pool = await WorkerPool.open({
    ...standIn.engineEnv,
    MEDIA_CAPACITY: String(Math.ceil(count * 1.2) + 1),
    // Workers accept calls even when the machine is overloaded.
    OVERLOAD_DELAY_MS: '0',
    RECONNECT_GRACE_MS: '10000',
  });
  const answered: Promise<AnsweringPhone>[] = [];
  await using endpoint = await openSipEndpoint({
    ...{ host: HOST, port: 0, address: HOST, names: createNameResolver(), clock, log: silentLogger },
    onInvite: (invite) => void answered.push(AnsweringPhone.answer(invite)),
    onMessage: () => undefined,
  });
  await pool.atLeast(1);
  const owner = pool.any;
  const calls = await placeCalls(pool, count, `sip:ann@${HOST}:${endpoint.port}`);
  const deadlineMs = performance.now() + ANSWER_LIMIT_MS;
  while (answered.length < count && performance.now() < deadlineMs) await delay(clock, POLL_MS);
  if (answered.length < count) throw new Error(`only ${answered.length} of ${count} calls were answered`);
  const phones = await Promise.all(answered);
  await pool.atLeast(1 + successors);
  await delay(clock, SETTLE_MS);
  const [load = 0] = loadavg();
  const taking = pool.workers.filter((worker) => worker !== owner);
  const usedMs = (): number => taking.reduce((sum, { pid }) => sum + usageOf(pid).cpuMs, 0);
  const beforeMs = usedMs();
  for (const phone of phones) phone.begin();
  const beganMs = performance.now();
  owner.signal(SIGNALS[fault]);
  await delay(clock, MEASURE_MS);
  const cpuMs = usedMs() - beforeMs;
  const pauseMs = phones.map((phone) => phone.longestPauseMs);
  const audibleMs = phones.flatMap((phone) => (phone.audibleMs === null ? [] : [phone.audibleMs - beganMs]));
  const silent = phones.filter((phone) => phone.silentMs > SILENT_MS).length;
  if (fault === 'freeze') {
    // The resumed worker must not send packets to its former calls.
    for (const phone of phones) phone.begin();
    owner.signal('SIGCONT');
    await delay(clock, THAWED_MS);
  }
  const strayPackets = fault === 'freeze' ? phones.reduce((sum, phone) => sum + phone.strayPackets, 0) : 0;
  await pool.lose(owner);
  await Promise.all(phones.map(({ dialog }) => dialog.bye()));
  const reasons = await Promise.all(calls.map((call) => endReasonOf(pool, call)));
  const silentCalls = silent > 0 ? [`${silent} silent`] : [];
  const ended = reasons.filter((reason) => reason !== 'hangup').map(String);
  if (silent + ended.length > 0) say(`${fault}: ${[...silentCalls, ...ended].join(', ')}`);
  return {
    fault,
    load: round(load),
    calls: count,
    lost: Math.max(silent, ended.length),
    pauseMs: distributionOf(pauseMs),
    audibleMs: distributionOf(audibleMs),
    cpuMsPerCall: round(cpuMs / count),
    strayPackets,
  };
}

/** Places calls at a steady rate, so that the worker is not overloaded. */
async function placeCalls(pool: WorkerPool, count: number, to: string): Promise<CallSpec[]> {
  const calls: CallSpec[] = [];
  for (let i = 0; i < count; i += 1) {
    const spec = callSpec({
      createdAtMs: Date.now(),
      firstStage: stageSpec({ model: STAND_IN_MODEL, voice: VOICE }),
      firstSpeaker: FIRST_SPEAKER,
      medium: sipSpec({ to, mediaEncryption: 'off' }),
    });
    await pool.queue(spec, { admissionClass: 'priority' });
    calls.push(spec);
    await delay(clock, PLACE_EVERY_MS);
  }
  return calls;
}

/** Null if the call does not end. */
async function endReasonOf(pool: WorkerPool, { callId }: CallSpec): Promise<EndReason | null> {
  const deadlineMs = performance.now() + END_LIMIT_MS;
  while (performance.now() < deadlineMs) {
    const last = await pool.bus.callLogs.last(callId);
    if (last?.event.body.type === 'ended') return last.event.body.endReason;
    await delay(clock, POLL_MS);
  }
  return null;
}
