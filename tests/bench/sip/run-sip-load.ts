import { parseArgs } from 'node:util';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { SipConfig } from '@calls/api-contract/rest/sip';
import { readBenchOptions } from '../bench-options.ts';
import { startBenchStack } from '../bench-stack.ts';
import { distributionOf, round, type Distribution } from '../distribution.ts';
import { readResourceUsage } from '../resource-usage.ts';
import { Api } from '../../support/api.ts';
import { placeCalls } from './sip-callers.ts';
import { wholeNumber } from '../../support/command-options.ts';

export interface SipLoadOptions {
  /** New calls per second. */
  rate: number;
  /** Maximum number of live calls. The duration of a call is chosen so that the rate leads to this number. */
  calls: number;
  /** Duration of the measurement. */
  seconds: number;
}

export function readSipLoadOptions(args: readonly string[]): SipLoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '20' },
      calls: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '30' },
    },
  });
  return {
    rate: wholeNumber('rate', values.rate, 1, 500),
    calls: wholeNumber('calls', values.calls, 1, 2000),
    seconds: wholeNumber('seconds', values.seconds, 1, 3600),
  };
}

export interface SipLoadReport {
  options: SipLoadOptions;
  /** Load average of the machine at the start. */
  load: number;
  calls: number;
  /** Number of calls rejected with 503. */
  refused: number;
  failed: number;
  /** Time from the first INVITE to the 200. */
  answerMs: Distribution;
  cpuPercent: Record<string, number>;
  /** Percentages of the time in which the worker's main thread used a processor and waited for one. */
  mainThread: { usedPercent: number; waitedPercent: number };
  eventLoopLagP99Ms: number;
}

const HOST = '127.0.0.1';
const WARM_UP_CALLS = 40;
const WARM_UP_HOLD_MS = 1000;
const TEMPLATE = {
  systemPrompt: 'You are the receptionist of a small hotel by the sea.',
  voice: 'alloy',
  firstSpeakerSettings: { agent: { text: 'Good morning, this is Ada. How can I help you?' } },
};

/** Callers (sipp) place calls at a steady rate and talk with an agent. Overloaded workers may reject calls with 503. */
export async function runSipLoad(
  options: SipLoadOptions,
  say: (line: string) => void,
): Promise<SipLoadReport> {
  const { rate, calls, seconds } = options;
  const [load = 0] = loadavg();
  say('starting the system');
  await using bench = await startBenchStack(readBenchOptions(['--medium', 'sip', '--calls', String(calls)]), {
    // The default: overloaded workers reject calls.
    env: { OVERLOAD_DELAY_MS: '' },
  });
  const api = new Api(bench.stack);
  const agent = await api.request<Agent>('POST', '/api/agents', { name: 'Ada', callTemplate: TEMPLATE });
  await api.request('PATCH', '/api/sip', { allowedCidrRanges: [`${HOST}/32`], allowAllAgents: true });
  const { domain } = (await api.request<SipConfig>('GET', '/api/sip')).body;
  const place = async (count: number, holdMs: number) => {
    const folder = await mkdtemp(join(tmpdir(), 'calls-sipp-load-'));
    try {
      const to = `agent_${agent.body.agentId}@${domain}`;
      return await placeCalls({
        folder,
        to,
        sipPort: bench.stack.ports.sip,
        rate,
        limit: calls,
        count,
        holdMs,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  say('warming up');
  await place(WARM_UP_CALLS, WARM_UP_HOLD_MS);
  say(`measuring for ${seconds} s`);
  const before = await readResourceUsage(bench);
  const { answerMs, refused, failed } = await place(rate * seconds, Math.round((calls / rate) * 1000));
  const now = await readResourceUsage(bench);
  const elapsedMs = now.atMs - before.atMs;
  const percent = (ms: number): number => round((ms / elapsedMs) * 100);
  return {
    options,
    load: round(load),
    calls: rate * seconds,
    refused,
    failed,
    answerMs: distributionOf(answerMs),
    cpuPercent: Object.fromEntries(
      Object.entries(now.cpuMs).map(([name, ms]) => [name, percent(ms - (before.cpuMs[name] ?? 0))]),
    ),
    mainThread: {
      usedPercent: percent(now.mainThreadCpuMs - before.mainThreadCpuMs),
      waitedPercent: percent(now.mainThreadWaitMs - before.mainThreadWaitMs),
    },
    eventLoopLagP99Ms: round(now.metrics.value('nodejs_eventloop_lag_p99_seconds') * 1000),
  };
}

export function sipLoadTable({
  options,
  load,
  calls,
  refused,
  failed,
  answerMs,
  mainThread,
  ...report
}: SipLoadReport): string {
  const { p50, p95, p99, max } = answerMs;
  const cpu = Object.entries(report.cpuPercent).map(([name, value]) => `${name} ${value}`);
  return [
    `${options.rate} new calls/s, up to ${options.calls} live, load of the machine before: ${load}`,
    `INVITE to 200, ms      p50 ${p50}   p95 ${p95}   p99 ${p99}   max ${max}`,
    `calls                  ${calls}   answered ${answerMs.count}   503 ${refused}   failed ${failed}`,
    `worker's main thread   ${mainThread.usedPercent} % used, ${mainThread.waitedPercent} % waiting for a processor`,
    `event loop lag p99     ${report.eventLoopLagP99Ms} ms`,
    `CPU, % of a core       ${cpu.join('   ')}`,
  ].join('\n');
}
