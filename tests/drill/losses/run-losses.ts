import { loadavg } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import type { SupervisedProcess } from '@calls/local-stack/process/supervised-process';
import { distributionOf, type Distribution } from '../../bench/distribution.ts';
import { allUp, processesOf, serviceOf } from '../../chaos/faults.ts';
import { markdownTable } from '../../support/markdown-table.ts';
import { leaderOf } from '../../support/nats-cluster.ts';
import { DrillCalls, type DrillResult, type LossEffect } from '../drill-calls.ts';
import type { DrillOptions } from '../drill-options.ts';
import type { DrillStack } from '../drill-stack.ts';
import { CreatedCalls, type CreatedCall } from './created-calls.ts';
import { lose, type LosableProcess, type Loss } from './lose-process.ts';

/** Effects of one loss on live calls, and on calls that were created until shortly after it. */
export interface LossRow {
  loss: string;
  /** Load average of the machine before the loss. */
  load: number;
  endedEarly: number;
  /** Number of calls whose agent remained silent. */
  silent: number;
  /** Time from the loss until the agent was audible again, for calls with a gap. */
  againMs: Distribution;
  /** Breakdown of the time by medium. */
  byMedium: string;
  created: readonly CreatedCall[];
}

/** Time after a loss in which the process is down and calls are created; longer than all permitted delays. */
const DOWN_MS = 8000;
/** Time from the loss of the leader to the loss of a worker, before another leader is elected. */
const ELECTION_MS = 300;
/** Time that a client may wait for a call that it creates. */
const CREATED_LIMIT_MS = 5000;
const SILENT_LIMIT_MS = 3000;
/** This end reason is wrong if a client has tried to join. */
const WRONG_REASON = 'unjoined';

type LossSystem = Pick<DrillStack, 'nats' | 'network' | 'stack'>;

interface LossOptions extends Pick<DrillOptions, 'calls' | 'losses' | 'media' | 'rounds' | 'services'> {
  downMs?: number;
  /** Set if the stack does not restart processes that end. */
  startsLost?: boolean;
}

interface Step {
  loss: string;
  /** Resolves to a function that undoes the loss. */
  begin: () => Promise<() => Promise<void>>;
}

/**
 * Loses each process in turn, by SIGKILL and then by SIGSTOP, while all agents speak. With replicated NATS, also loses
 * a media-worker while the streams elect a leader. After each loss, every agent must respond to a question.
 */
export async function runLosses(
  drill: LossSystem,
  options: LossOptions,
  say: (line: string) => void,
): Promise<DrillResult & { losses: LossRow[] }> {
  const { downMs = DOWN_MS } = options;
  await using calls = await DrillCalls.open(drill);
  const losses: LossRow[] = [];
  const ended = new Set<string>();
  const result = await calls.measure(say, async () => {
    await calls.place(options.calls, options.media);
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const step of stepsOf(drill, options)) {
        await calls.speak();
        const [load = 0] = loadavg();
        calls.beginLoss();
        const undo = await step.begin();
        const created = new CreatedCalls(drill.stack);
        await after(downMs);
        const stopped = created.stop();
        await undo();
        await allUp(processesOf(drill.stack));
        const row = rowOf(step.loss, load, calls, ended, await stopped);
        losses.push(row);
        say(`${lossCells(row).join(' | ')}; ${calls.summary}`);
        say(`  ${row.byMedium}`);
        await calls.respond(`this is question number ${losses.length}`);
      }
    }
  });
  return { ...result, losses };
}

export function lossTable(rows: readonly LossRow[]): string {
  const head = [
    ...['loss', 'load', 'ended', 'silent', 'affected', 'audible again p50, ms', 'p99', 'max'],
    ...['admitted', 'p50, ms', 'max', 'failed', 'max, ms'],
  ];
  return markdownTable(head, rows.map(lossCells));
}

function lossCells({ loss, load, endedEarly, silent, againMs, created }: LossRow): (string | number)[] {
  const [admitted, failed] = [true, false].map((isAdmitted) => {
    const those = created.filter((call) => call.isAdmitted === isAdmitted);
    return { those, tookMs: distributionOf(those.map(({ tookMs }) => tookMs)) };
  });
  return [
    ...[loss, load.toFixed(1), endedEarly, silent, againMs.count],
    ...[againMs.p50, againMs.p99, againMs.max].map(whole),
    ...[admitted!.those.length, whole(admitted!.tookMs.p50), whole(admitted!.tookMs.max)],
    ...[reasonsOf(failed!.those), whole(failed!.tookMs.max)],
  ];
}

function whole(ms: number): string {
  return Number.isNaN(ms) ? '-' : String(Math.round(ms));
}

function reasonsOf(failed: readonly CreatedCall[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of failed) counts.set(reason ?? '', (counts.get(reason ?? '') ?? 0) + 1);
  return counts.size === 0 ? '0' : [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
}

function rowOf(
  loss: string,
  load: number,
  calls: DrillCalls,
  ended: Set<string>,
  created: readonly CreatedCall[],
): LossRow {
  const effects = calls.effects().filter(({ callId }) => !ended.has(callId));
  const lost = effects.filter((each) => each.lost !== null);
  for (const { callId } of lost) ended.add(callId);
  const live = effects.filter((each) => each.lost === null);
  return {
    loss,
    load,
    endedEarly: lost.length,
    silent: live.filter((each) => each.after === 'silent').length,
    againMs: distributionOf(live.flatMap((each) => (typeof each.after === 'number' ? [each.after] : []))),
    byMedium: byMediumOf(live),
    created,
  };
}

/** Median and maximum of the times until clients lost their connection and until agents were audible again. */
function byMediumOf(effects: readonly LossEffect[]): string {
  const affected = effects.flatMap((each) =>
    typeof each.after === 'number' ? [{ ...each, againMs: each.after }] : [],
  );
  const media = [...new Set(affected.map(({ medium }) => medium))].map((medium) => {
    const those = affected.filter((each) => each.medium === medium);
    const moved = distributionOf(those.flatMap(({ movedMs }) => movedMs ?? []));
    const again = distributionOf(those.map(({ againMs }) => againMs));
    const [movedText, againText] = [moved, again].map(({ p50, max }) => `${whole(p50)} to ${whole(max)} ms`);
    return `${those.length} ${medium}: moved after ${movedText}, audible after ${againText}`;
  });
  return media.join('; ');
}

/** Effects that exceed the limits for a machine that is not overloaded. */
export function lossProblems({ loss, endedEarly, silent, againMs, created }: LossRow): string[] {
  const late = created.filter(({ tookMs }) => tookMs > CREATED_LIMIT_MS).length;
  const wrong = created.filter(({ reason }) => reason?.endsWith(WRONG_REASON)).length;
  return [
    ...(endedEarly > 0 ? [`${endedEarly} calls ended early`] : []),
    ...(silent > 0 ? [`${silent} agents stayed silent`] : []),
    ...(againMs.max > SILENT_LIMIT_MS ? [`an agent was audible again after ${whole(againMs.max)} ms`] : []),
    ...(late > 0 ? [`${late} created calls took longer than ${CREATED_LIMIT_MS} ms`] : []),
    ...(wrong > 0 ? [`${wrong} created calls ended ${WRONG_REASON}, although a client tried to join`] : []),
  ].map((problem) => `${loss}: ${problem}`);
}

function stepsOf({ stack, nats }: LossSystem, { services, losses, startsLost = false }: LossOptions): Step[] {
  const servers = (nats?.servers ?? []).map((server, index): LosableProcess => ({
    name: `nats-${index + 1}`,
    get pid() {
      return server.pid;
    },
    kill: () => server.kill(),
    start: () => server.start(),
  }));
  const supervised = processesOf(stack).map((process) => supervisedProcess(process, startsLost));
  const lost = [...supervised, ...servers].filter(({ name }) =>
    services.some((each) => each === serviceOf(name)),
  );
  // A killed process has no calls.
  const steps = losses.flatMap((loss) =>
    lost.map((process): Step => ({ loss: `${loss} ${process.name}`, begin: () => lose(process, loss) })),
  );
  if (!nats || !services.includes('nats')) return steps;
  return [...steps, ...losses.map((loss) => duringElection(stack, nats, loss))];
}

function supervisedProcess(process: SupervisedProcess, startsLost = false): LosableProcess {
  return {
    name: process.name,
    get pid() {
      return process.pid;
    },
    kill: () => process.kill(),
    ...(startsLost && { start: () => process.start() }),
  };
}

/** Kills the leader of the lease stream, then loses a media-worker before another leader is elected. */
function duringElection(stack: DrillStack['stack'], nats: NonNullable<DrillStack['nats']>, loss: Loss): Step {
  const worker = supervisedProcess(stack.services['media-worker']);
  return {
    loss: `kill NATS leader, then ${loss} ${worker.name}`,
    async begin() {
      const leader = await leaderOf(nats, 'KV_call_leases');
      await leader.kill();
      await after(ELECTION_MS);
      const undo = await lose(worker, loss);
      return async () => {
        await leader.start();
        await undo();
      };
    },
  };
}
