import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '@calls/local-stack/stack';
import { instancesOf } from '@calls/local-stack/stack-size';
import { parse } from 'yaml';
import { MetricsReading } from '../bench/scrape.ts';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { DrillCalls, type DrillResult, type DrillSystem } from './drill-calls.ts';
import type { DrillOptions } from './drill-options.ts';

const AUTOSCALING_FILE = 'deploy/kubernetes/base/media-worker-autoscaling.yaml';
/** The horizontal pod autoscaler does not change the number of workers for smaller deviations from the target. */
const TOLERANCE = 0.1;
/** Slots per call of the drill, so that these calls alone need only one worker. */
export const SLOTS_PER_CALL = 2;

/**
 * Scales from one media-worker to all of them and back to one, during calls over several media, as the autoscaler of
 * the Kubernetes manifests decides. Calls that wait for their clients add the load. The oldest worker stops first.
 */
export async function runScale(
  system: DrillSystem,
  { rounds, calls: count, media }: Pick<DrillOptions, 'calls' | 'media' | 'rounds'>,
  say: (line: string) => void,
): Promise<DrillResult> {
  const workers = await Workers.of(system);
  const api = new Api(system.stack);
  await workers.stopAllButOne();
  await using calls = await DrillCalls.open(system);
  return await calls.measure(say, async () => {
    await calls.place(count, media);
    for (let round = 1; round <= rounds; round += 1) {
      const report = (): void => say(`round ${round}: ${workers.summary}; ${calls.summary}`);
      await workers.decide();
      report();
      const waiting = await callsWithoutClients(api, (await workers.callsThatNeedAll()) - count);
      await eventually(async () => {
        while ((await workers.decide()) > workers.running) {
          report();
          await workers.add();
        }
        if (!workers.isComplete) throw new Error(`calls fill ${workers.summary}`);
      });
      report();
      await calls.respond(`this is question number ${round}`);
      await Promise.all(waiting.map((callId) => deleteCall(api, callId)));
      await eventually(async () => {
        if ((await workers.decide()) > 1) throw new Error(`calls fill ${workers.summary}`);
      });
      while ((await workers.decide()) < workers.running) {
        report();
        await calls.speak();
        await workers.removeOldest();
        await calls.continued();
      }
      report();
      await calls.respond(`this is the second question number ${round}`);
    }
  });
}

/** The media-workers, with the algorithm of the autoscaler. */
class Workers {
  readonly #system: DrillSystem;
  /** Average share of used slots of the workers. */
  readonly #target: number;
  /** Names of the workers, oldest first. */
  #running: string[];
  #used = 0;

  private constructor(system: DrillSystem, target: number) {
    this.#system = system;
    this.#target = target;
    this.#running = this.#instances.map(({ name }) => name);
  }

  static async of(system: DrillSystem): Promise<Workers> {
    const manifest: unknown = parse(await readFile(join(REPOSITORY, AUTOSCALING_FILE), 'utf8'));
    const [, thousandths] = /"averageValue":"(\d+)m"/u.exec(JSON.stringify(manifest)) ?? [];
    if (thousandths === undefined) throw new Error(`${AUTOSCALING_FILE} has no averageValue in thousandths`);
    return new Workers(system, Number(thousandths) / 1000);
  }

  get running(): number {
    return this.#running.length;
  }

  get isComplete(): boolean {
    return this.running === this.#instances.length;
  }

  get summary(): string {
    const percent = Math.round((this.#used * 100) / this.running);
    return `${percent} % of the slots of ${this.running} media-workers`;
  }

  /** Number of calls that need all workers, with a margin of half a worker. */
  async callsThatNeedAll(): Promise<number> {
    const [instance] = this.#instances.filter(({ name }) => this.#running.includes(name));
    if (!instance) throw new Error('no media-worker runs');
    const slots = (await MetricsReading.of(instance.metricsPort)).value('calls_slots');
    return Math.ceil((this.#instances.length - 0.5) * this.#target * slots);
  }

  /** Desired number of workers. */
  async decide(): Promise<number> {
    const ratios = await Promise.all(
      this.#instances
        .filter(({ name }) => this.#running.includes(name))
        .map(async ({ metricsPort }) => {
          const metrics = await MetricsReading.of(metricsPort);
          return metrics.value('calls_slots_used') / metrics.value('calls_slots');
        }),
    );
    this.#used = ratios.reduce((sum, ratio) => sum + ratio, 0);
    const wanted = this.#used / this.#target;
    if (Math.abs(wanted / this.running - 1) <= TOLERANCE) return this.running;
    return Math.min(this.#instances.length, Math.max(1, Math.ceil(wanted)));
  }

  async add(): Promise<void> {
    const added = this.#instances.find(({ name }) => !this.#running.includes(name));
    if (!added) throw new Error('all media-workers run');
    await this.#process(added.name).start();
    this.#running.push(added.name);
  }

  async removeOldest(): Promise<void> {
    const oldest = this.#running.shift();
    if (oldest === undefined) throw new Error('no media-worker runs');
    await this.#process(oldest).stop();
  }

  async stopAllButOne(): Promise<void> {
    await Promise.all(this.#running.splice(1).map((name) => this.#process(name).stop()));
  }

  get #instances() {
    const { size, ports } = this.#system.stack;
    return instancesOf(size, ports.metrics).filter(({ service }) => service === 'media-worker');
  }

  #process(name: string) {
    const process = this.#system.stack.processes.get(name);
    if (!process) throw new Error(`the stack has no ${name}`);
    return process;
  }
}

/** Creates calls that occupy slots, but use processor time only at their creation. */
async function callsWithoutClients(api: Api, count: number): Promise<string[]> {
  const callIds: string[] = [];
  while (callIds.length < count)
    callIds.push((await api.createCall({ joinTimeout: '3600s', maxDuration: '60s' })).callId);
  return callIds;
}

function deleteCall(api: Api, callId: string): Promise<void> {
  return eventually(async () => {
    const { status } = await api.request('DELETE', `/api/calls/${callId}`);
    // The call is being handed over, or its end is not stored yet.
    if (status === 409 || status >= 500) throw new Error(`the call was not deleted: ${status}`);
    if (status !== 204 && status !== 404) throw new Error(`DELETE of call ${callId} returned ${status}`);
  });
}
