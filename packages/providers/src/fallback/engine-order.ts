import { ENGINE_COOLDOWN_MS, ProviderError, cooldownMsAfter } from '@calls/engine-ports/provider-error';
import type { Clock } from '@calls/foundation/clock';

export interface NamedEngine<T> {
  /** Name for logs. */
  name: string;
  engine: T;
}

export interface EngineFailure {
  engine: string;
  error: ProviderError;
  /** The engine to try next; null if there is none and the request has failed. */
  next: string | null;
}

export interface FallbackOptions<T> {
  /** In order of preference; at least one. */
  engines: readonly NamedEngine<T>[];
  clock: Clock;
  onFailure: (failure: EngineFailure) => void;
}

interface Entry<T> extends NamedEngine<T> {
  cooldownUntilMs: number;
}

/**
 * Decides which engine is tried first, across all requests. After an error, an engine is tried last for a while; then one
 * request tests it again. The only owner of retries of its role.
 */
export class EngineOrder<T> {
  readonly #entries: readonly Entry<T>[];
  readonly #options: FallbackOptions<T>;

  constructor(options: FallbackOptions<T>) {
    this.#options = options;
    this.#entries = options.engines.map((named) => ({ ...named, cooldownUntilMs: 0 }));
  }

  /** The order for one request: healthy engines first. The first request after an engine's pause tests it. */
  take(): readonly NamedEngine<T>[] {
    const nowMs = this.#options.clock.nowMs();
    const order = this.#order(nowMs);
    const [first] = order;
    if (first && first.cooldownUntilMs > 0) first.cooldownUntilMs = nowMs + ENGINE_COOLDOWN_MS;
    return order;
  }

  /** The engine that would be tried first now. */
  get first(): T | undefined {
    return this.#order(this.#options.clock.nowMs())[0]?.engine;
  }

  worked({ engine }: NamedEngine<T>): void {
    const entry = this.#entryOf(engine);
    if (entry) entry.cooldownUntilMs = 0;
  }

  /**
   * Records an error and pauses the engine if the error is likely to recur. `next` is the candidate to take over.
   * Returns true if it should, which is not the case for errors that are not the engine's.
   */
  failed({ engine, name }: NamedEngine<T>, thrown: unknown, next: NamedEngine<T> | undefined): boolean {
    if (!(thrown instanceof ProviderError) || thrown.kind === 'superseded') return false;
    const entry = this.#entryOf(engine);
    // A permanent refusal may be due to the request, and costs no time.
    if (entry && (thrown.retryable || thrown.kind === 'malformed'))
      entry.cooldownUntilMs = this.#options.clock.nowMs() + cooldownMsAfter(thrown);
    this.#options.onFailure({ engine: name, error: thrown, next: next?.name ?? null });
    return next !== undefined;
  }

  #order(nowMs: number): Entry<T>[] {
    const isCoolingDown = (entry: Entry<T>): boolean => entry.cooldownUntilMs > nowMs;
    return [
      ...this.#entries.filter((entry) => !isCoolingDown(entry)),
      ...this.#entries.filter(isCoolingDown),
    ];
  }

  #entryOf(engine: T): Entry<T> | undefined {
    return this.#entries.find((entry) => entry.engine === engine);
  }
}
