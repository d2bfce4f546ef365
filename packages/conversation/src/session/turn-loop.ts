import type { Clock, Timer } from '@calls/foundation';
import { initialTurnState, stepTurn } from '../turn/step-turn.ts';
import type { TurnEffect, TurnEvent, TurnState, TurnTimer } from '../turn/turn-types.ts';

/** Effects that reach outside the loop; timers are its own. */
export type OutwardEffect = Exclude<TurnEffect, { type: 'start_timer' | 'cancel_timer' }>;

/**
 * Runs the turn reducer: one event at a time, its effects in order before the next event. Events that effects cause wait
 * their turn.
 */
export class TurnLoop {
  readonly #clock: Clock;
  readonly #apply: (effect: OutwardEffect) => void;
  readonly #timers = new Map<TurnTimer, Timer>();
  readonly #queue: TurnEvent[] = [];
  #state: TurnState = initialTurnState();
  #running = false;

  constructor(clock: Clock, apply: (effect: OutwardEffect) => void) {
    this.#clock = clock;
    this.#apply = apply;
  }

  get state(): TurnState {
    return this.#state;
  }

  dispatch(event: TurnEvent): void {
    this.#queue.push(event);
    if (this.#running) return;
    this.#running = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        const step = stepTurn(this.#state, next);
        this.#state = step.state;
        for (const effect of step.effects) this.#carryOut(effect);
      }
    } finally {
      this.#running = false;
    }
  }

  #carryOut(effect: TurnEffect): void {
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
