import type { Clock, Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { TurnTrace } from '../replay/turn-trace.ts';
import { stepTurn } from '../turn/step-turn.ts';
import type { TurnTimer } from '../turn/turn-timer.ts';
import type { AgentTurn, CallEnd, TurnEffect, TurnEvent, TurnState, TurnStep } from '../turn/turn-types.ts';

/** Effects for the session; the loop handles timers itself. */
export type ExternalEffect = Exclude<TurnEffect, { type: 'start_timer' | 'cancel_timer' }>;

/**
 * Runs the turn reducer: one event at a time, all its effects before the next event. Events dispatched by
 * effects are queued. If an effect throws, the queue is dropped and `onFatalError` is called.
 */
export class TurnLoop {
  readonly #clock: Clock;
  readonly #apply: (effect: ExternalEffect) => void;
  readonly #onFatalError: (error: Error) => void;
  readonly #trace: Pick<TurnTrace, 'step'> | null;
  readonly #timers = new Map<TurnTimer, Timer>();
  readonly #queue: TurnEvent[] = [];
  #state: TurnState;
  #running = false;

  constructor(
    initial: TurnState,
    clock: Clock,
    apply: (effect: ExternalEffect) => void,
    onFatalError: (error: Error) => void,
    trace: Pick<TurnTrace, 'step'> | null,
  ) {
    this.#state = initial;
    this.#clock = clock;
    this.#apply = apply;
    this.#onFatalError = onFatalError;
    this.#trace = trace;
  }

  get state(): TurnState {
    return this.#state;
  }

  /** The agent's current response. */
  get speaking(): AgentTurn | null {
    const { kind } = this.#state;
    return kind === 'responding' || kind === 'interrupted' ? this.#state.agent : null;
  }

  /** Ends the call after the current response, or at once without one. Leaves a response that ends the call unchanged. */
  endAfterResponse(end: CallEnd): void {
    const agent = this.speaking;
    if (!agent) this.dispatch({ type: 'ending', words: '', ...end });
    else if (agent.thenEnd === null)
      this.dispatch({ type: 'answer_is_last', generation: agent.generation, ...end });
  }

  dispatch(event: TurnEvent): void {
    this.#queue.push(event);
    if (this.#running) return;
    this.#running = true;
    let failure: Error | null = null;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        const step = this.#step(next);
        this.#state = step.state;
        for (const effect of step.effects) this.#executeEffect(effect);
      }
    } catch (thrown) {
      failure = toError(thrown);
      this.#queue.length = 0;
    }
    this.#running = false;
    if (failure) this.#onFatalError(failure);
  }

  #step(event: TurnEvent): TurnStep {
    let effects: readonly TurnEffect[] | null = null;
    try {
      const step = stepTurn(this.#state, event);
      effects = step.effects;
      return step;
    } finally {
      this.#trace?.step(event, effects);
    }
  }

  /** Cancels all timers. */
  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #executeEffect(effect: TurnEffect): void {
    switch (effect.type) {
      case 'start_timer':
        this.#timers.get(effect.timer)?.cancel();
        this.#timers.set(
          effect.timer,
          this.#clock.setTimer(effect.delayMs, () => {
            this.#timers.delete(effect.timer);
            this.dispatch({ type: 'timer_fired', timer: effect.timer });
          }),
        );
        break;
      case 'cancel_timer':
        this.#timers.get(effect.timer)?.cancel();
        this.#timers.delete(effect.timer);
        break;
      default:
        this.#apply(effect);
    }
  }
}
