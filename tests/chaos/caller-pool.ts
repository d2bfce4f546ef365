import type { CallPlan } from './call-plan.ts';
import { requestFor } from './call-plan.ts';
import { Caller } from './caller.ts';
import type { CallerReport } from './caller-report.ts';
import type { RetryingApi } from './retrying-api.ts';

export interface CallerPoolOptions {
  size: number;
  accounts: { paying: RetryingApi; free: RetryingApi };
  callbackUrl: string;
  plans: Iterator<CallPlan, never>;
  random: () => number;
}

/** Runs a constant number of callers until `stop`: each one that finishes is replaced. */
export class CallerPool {
  readonly reports: CallerReport[] = [];
  readonly #options: CallerPoolOptions;
  readonly #stopping = new AbortController();
  readonly #places: Promise<void>[];
  #talking = 0;

  constructor(options: CallerPoolOptions) {
    this.#options = options;
    this.#places = Array.from({ length: options.size }, () => this.#fill());
  }

  get talking(): number {
    return this.#talking;
  }

  /** Starts no new calls; resolves when the last caller has finished. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#places);
  }

  async #fill(): Promise<void> {
    const { accounts, callbackUrl, plans, random } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const plan = plans.next().value;
      const api = plan.isFree ? accounts.free : accounts.paying;
      const call = await api.createCall(requestFor(plan, callbackUrl), signal);
      if (!call) return;
      this.#talking += 1;
      this.reports.push(await new Caller({ call, plan, api, random }).live());
      this.#talking -= 1;
    }
  }
}
