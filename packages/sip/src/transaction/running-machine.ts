import type { Clock, Timer } from '@calls/foundation/clock';
import type { MachineEffect, MachineEvent, Step, TransactionFailure, TransactionTimer } from './machine.ts';

interface MachineOptions<State, Event, Own> {
  initial: Step<State, MachineEffect | Own>;
  clock: Clock;
  step(state: State, event: Event | MachineEvent): Step<State, MachineEffect | Own>;
  /** Carries out effects other than timers. */
  perform(effect: Own): void;
  onFailure(cause: TransactionFailure): void;
  onEnd(): void;
}

/** Runs a transaction machine with its timers. */
export class RunningMachine<State, Event, Own extends { kind: 'send' | 'acknowledge' | 'pass' }> {
  readonly #options: MachineOptions<State, Event, Own>;
  readonly #timers = new Map<TransactionTimer, Timer>();
  #state: State;

  constructor(options: MachineOptions<State, Event, Own>) {
    this.#options = options;
    this.#state = options.initial.state;
  }

  /** Carries out the effects of the initial step. */
  start(): void {
    this.#apply(this.#options.initial);
  }

  dispatch(event: Event | MachineEvent): void {
    this.#apply(this.#options.step(this.#state, event));
  }

  /** Stops all timers. */
  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
  }

  #apply({ state, effects }: Step<State, MachineEffect | Own>): void {
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: MachineEffect | Own): void {
    switch (effect.kind) {
      case 'startTimer':
        this.#startTimer(effect.timer, effect.delayMs);
        return;
      case 'stopTimer':
        this.#timers.get(effect.timer)?.cancel();
        return;
      case 'fail':
        this.#options.onFailure(effect.cause);
        return;
      case 'end':
        this.stop();
        this.#options.onEnd();
        return;
      default:
        this.#options.perform(effect);
    }
  }

  #startTimer(timer: TransactionTimer, delayMs: number): void {
    this.#timers.get(timer)?.cancel();
    const fire = (): void => this.dispatch({ kind: 'timer', timer });
    this.#timers.set(timer, this.#options.clock.setTimer(delayMs, fire));
  }
}
