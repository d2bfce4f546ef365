import { parseArgs } from 'node:util';
import { Agent, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { silentLogger } from '@calls/foundation/logger';
import { openStore } from '@calls/store/store';
import { CompiledQuery } from 'kysely';
import { readBenchOptions } from '../bench-options.ts';
import { startBenchStack, type BenchStack } from '../bench-stack.ts';
import { distributionOf, round, type Distribution } from '../distribution.ts';
import { machineLine, watchMachine, type MachineUse } from '../machine-use.ts';
import { usageOf, usageOfTree } from '../process-usage.ts';
import { wholeNumber } from '../../support/command-options.ts';

export interface CreationOptions {
  /** Requests per second. */
  rate: number;
  /** Duration of the measurement. */
  seconds: number;
  warmUpSeconds: number;
  /** Number of calls that the table contains at the start. */
  callsThere: number;
  /** File for the JSON report; null for none. */
  jsonPath: string | null;
}

export function readCreationOptions(args: readonly string[]): CreationOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '20' },
      'warm-up': { type: 'string', default: '10' },
      'calls-there': { type: 'string', default: '0' },
      json: { type: 'string' },
    },
  });
  return {
    rate: wholeNumber('rate', values.rate, 1, 2000),
    seconds: wholeNumber('seconds', values.seconds, 1, 3600),
    warmUpSeconds: wholeNumber('warm-up', values['warm-up'], 0, 600),
    callsThere: wholeNumber('calls-there', values['calls-there'], 0, 10_000_000),
    jsonPath: values.json ?? null,
  };
}

export interface CreationReport {
  options: CreationOptions;
  machineUse: MachineUse;
  /** Time from the due time of a request to the end of its response. */
  answerMs: Distribution;
  statuses: Record<string, number>;
  /** Responses per second of the measured time. */
  answeredRate: number;
  cpuPercent: Record<string, number>;
  /** CPU time per created call. */
  cpuMsPerCall: Record<string, number>;
}

const CONNECTIONS = 64;
/** The calls are never joined and end soon, like unanswered calls. */
const BODY = JSON.stringify({
  systemPrompt: 'You are the receptionist of a small hotel by the sea.',
  voice: 'alloy',
  joinTimeout: '1s',
  metadata: { campaign: 'bench' },
  medium: { serverWebSocket: { inputSampleRate: 16_000 } },
});

/** Sends `POST /api/calls` at a steady rate. Slow responses do not delay later requests. */
export async function runCreation(
  options: CreationOptions,
  say: (line: string) => void,
): Promise<CreationReport> {
  say('starting the system');
  await using bench = await startBenchStack(readBenchOptions(['--calls', '200']));
  if (options.callsThere > 0) await fillCalls(bench, options.callsThere, say);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const post = poster(bench, agent);
  say(`warming up for ${options.warmUpSeconds} s`);
  await atRate(options.rate, options.warmUpSeconds, post);
  say(`measuring for ${options.seconds} s`);
  const readMachineUse = watchMachine();
  const before = cpuTimes(bench);
  const startMs = performance.now();
  const answers = await atRate(options.rate, options.seconds, post);
  const elapsedMs = performance.now() - startMs;
  const cpu = cpuTimes(bench);
  const machineUse = readMachineUse();
  agent.destroy();
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const created = Math.max(1, statuses[201] ?? 0);
  const eachOf = (scale: number): Record<string, number> =>
    Object.fromEntries(
      Object.entries(cpu).map(([name, ms]) => [name, round((ms - (before[name] ?? 0)) * scale)]),
    );
  return {
    options,
    machineUse,
    answerMs: distributionOf(answers.map(({ tookMs }) => tookMs)),
    statuses,
    answeredRate: round((answers.length / elapsedMs) * 1000),
    cpuPercent: eachOf(100 / elapsedMs),
    cpuMsPerCall: eachOf(1 / created),
  };
}

interface ApiResponse {
  status: number;
  tookMs: number;
}

async function atRate(
  rate: number,
  seconds: number,
  post: (dueMs: number) => Promise<ApiResponse>,
): Promise<ApiResponse[]> {
  const startMs = performance.now();
  const answers: Promise<ApiResponse>[] = [];
  for (let sent = 0; sent < rate * seconds; sent += 1) {
    const dueMs = startMs + (sent / rate) * 1000;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await after(waitMs);
    answers.push(post(dueMs));
  }
  return Promise.all(answers);
}

function poster({ stack }: BenchStack, agent: Agent): (dueMs: number) => Promise<ApiResponse> {
  const url = new URL('/api/calls', stack.apiUrl);
  const headers = {
    'X-API-Key': stack.developmentKey,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(BODY),
  };
  return (dueMs) =>
    new Promise((resolve) => {
      const done = (status: number): void => resolve({ status, tookMs: performance.now() - dueMs });
      const sent = request(url, { method: 'POST', agent, headers, timeout: 10_000 }, (response) => {
        response.resume();
        response.once('end', () => done(response.statusCode ?? 0));
        response.once('error', () => done(0));
      });
      sent.once('timeout', () => sent.destroy());
      sent.once('error', () => done(0));
      sent.end(BODY);
    });
}

/** Inserts ended calls for the account, spread over a year. */
async function fillCalls({ stack }: BenchStack, count: number, say: (line: string) => void): Promise<void> {
  say(`filling in ${count} calls`);
  const { databaseUrl } = stack.servers;
  await using store = openStore({ url: databaseUrl, name: 'bench', poolSize: 1, log: silentLogger });
  const perStatement = 2000;
  for (let done = 0; done < count; done += perStatement) {
    const rows = Math.min(perStatement, count - done);
    await store.db.executeQuery(
      CompiledQuery.raw(
        `insert into calls (call_id, account_id, created_at, expires_at, joined_at, ended_at, end_reason,
           billing_status, billed_duration_ms, metadata, settings)
         select gen_random_uuid(), account_id, at, at, at, at + interval '90 s', 'hangup',
           'BILLING_STATUS_BILLED', 90000, '{"campaign": "filled"}',
           '{"medium": {"serverWebSocket": {"inputSampleRate": 16000}}, "maxDuration": "3600s", "recordingEnabled": false}'
         from accounts, lateral (select now() - random() * interval '365 days' as at
           from generate_series(1, $1::int)) as moments`,
        [rows],
      ),
    );
  }
}

function cpuTimes({ stack }: BenchStack): Record<string, number> {
  const servers = (['postgresql', 'redis', 'nats'] as const).map((name) => {
    const pid = stack.servers.processes.get(name)?.pid;
    return [name, pid === undefined ? 0 : usageOfTree(pid).cpuMs] as const;
  });
  const services = (['control-plane', 'media-worker', 'dispatcher'] as const).map((name) => {
    const { pid } = stack.services[name];
    return [name, pid === undefined ? 0 : usageOf(pid).cpuMs] as const;
  });
  return Object.fromEntries([...services, ...servers, ['client', usageOf(process.pid).cpuMs]]);
}

/** See the figures of the main bench. */
export function creationFigures({
  answerMs,
  cpuMsPerCall,
  answeredRate,
}: CreationReport): Record<string, number> {
  const cpu = Object.entries(cpuMsPerCall).filter(([name]) => name !== 'client');
  return {
    'CPU, ms per call': round(cpu.reduce((sum, [, ms]) => sum + ms, 0)),
    ...Object.fromEntries(cpu.map(([name, ms]) => [`… ${name}`, ms])),
    'response p50, ms': answerMs.p50,
    'response p99, ms': answerMs.p99,
    'responses per second': answeredRate,
  };
}

export function creationTable({
  options,
  answerMs,
  statuses,
  answeredRate,
  cpuPercent,
  cpuMsPerCall,
  machineUse,
}: CreationReport): string {
  const list = (of: Record<string, number>): string =>
    Object.entries(of)
      .map(([name, value]) => `${name} ${value}`)
      .join('   ');
  return [
    `POST /api/calls at ${options.rate}/s for ${options.seconds} s, ${options.callsThere} calls there before`,
    `answered after, ms   p50 ${answerMs.p50}   p90 ${answerMs.p90}   p99 ${answerMs.p99}   max ${answerMs.max}`,
    `answered per second  ${answeredRate}`,
    `statuses             ${list(statuses)}`,
    `CPU, % of a core     ${list(cpuPercent)}`,
    `CPU, ms per call     ${list(cpuMsPerCall)}`,
    machineLine(machineUse),
  ].join('\n');
}
