import { ProviderError } from '@calls/conversation/ports/provider-error';
import type { Clock } from '@calls/foundation/clock';

/** For this long after a fault an engine is asked after all others; then one request finds out whether it does again. */
const ENGINE_REST_MS = 30_000;

export interface NamedEngine<T> {
  /** For logs. */
  name: string;
  engine: T;
}

export interface EngineFault {
  engine: string;
  fault: ProviderError;
  /** The fallback engine; null: there is none and the request has failed. */
  next: string | null;
}

export interface FallbackOptions<T> {
  /** In the order in which they are asked; at least one. */
  engines: readonly NamedEngine<T>[];
  clock: Clock;
  onFault: (fault: EngineFault) => void;
}

interface Entry<T> extends NamedEngine<T> {
  restingUntilMs: number;
}

/** Which of several engines is asked first, over all requests: the one owner of retries of a role. */
export class EngineOrder<T> {
  readonly #entries: readonly Entry<T>[];
  readonly #options: FallbackOptions<T>;

  constructor(options: FallbackOptions<T>) {
    this.#options = options;
    this.#entries = options.engines.map((named) => ({ ...named, restingUntilMs: 0 }));
  }

  /** For one request: those that don't rest, then those that do. One whose rest is over is given to the first that comes. */
  take(): readonly NamedEngine<T>[] {
    const nowMs = this.#options.clock.nowMs();
    const order = this.#order(nowMs);
    const [first] = order;
    if (first && first.restingUntilMs > 0) first.restingUntilMs = nowMs + ENGINE_REST_MS;
    return order;
  }

  /** Who would be asked first now. */
  get first(): T | undefined {
    return this.#order(this.#options.clock.nowMs())[0]?.engine;
  }

  worked({ engine }: NamedEngine<T>): void {
    const entry = this.#entryOf(engine);
    if (entry) entry.restingUntilMs = 0;
  }

  /**
   * Tells of a fault and lets the engine rest where the fault is likely to come again. `next` is who could take over. True
   * where it is to: not for what isn't a fault of the engine.
   */
  failed({ engine, name }: NamedEngine<T>, thrown: unknown, next: NamedEngine<T> | undefined): boolean {
    if (!(thrown instanceof ProviderError) || thrown.fault === 'superseded') return false;
    const entry = this.#entryOf(engine);
    // A refusal for good may be due to the request, and costs no time.
    if (entry && (thrown.retryable || thrown.fault === 'malformed')) {
      entry.restingUntilMs = this.#options.clock.nowMs() + ENGINE_REST_MS;
    }
    this.#options.onFault({ engine: name, fault: thrown, next: next?.name ?? null });
    return next !== undefined;
  }

  #order(nowMs: number): Entry<T>[] {
    const rests = (entry: Entry<T>): boolean => entry.restingUntilMs > nowMs;
    return [...this.#entries.filter((entry) => !rests(entry)), ...this.#entries.filter(rests)];
  }

  #entryOf(engine: T): Entry<T> | undefined {
    return this.#entries.find((entry) => entry.engine === engine);
  }
}
