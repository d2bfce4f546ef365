import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import { withTimeout } from '@calls/foundation/clock';
import { TimeoutError } from '@calls/foundation/errors';
import { COMPLETION_LIMIT_MS } from '../ports/end-of-turn.ts';
import type { ConversationServices } from './services.ts';

/** A pause of the user that the end-of-turn model judges. */
export interface Pause {
  completion: Promise<number>;
  abort: AbortController;
}

/** Asks the end-of-turn model once per pause. */
export class PauseCompletion {
  readonly #model: TurnCompletionModel | null;
  readonly #services: Pick<ConversationServices, 'clock' | 'metrics'>;
  #pause: Pause | null = null;

  constructor({ endOfTurn, clock, metrics }: Pick<ConversationServices, 'clock' | 'endOfTurn' | 'metrics'>) {
    this.#model = endOfTurn.model;
    this.#services = { clock, metrics };
  }

  /** The current pause, with the audio up to its beginning. Null without a model. */
  begin(samples: () => Int16Array): Pause | null {
    if (!this.#model || this.#pause) return this.#pause;
    const abort = new AbortController();
    const completion = this.#model.completion(samples(), abort.signal);
    // The pause may end before the result is used.
    completion.catch(() => undefined);
    this.#pause = { completion, abort };
    return this.#pause;
  }

  isCurrent(pause: Pause | null): boolean {
    return pause !== null && pause === this.#pause;
  }

  /** The probability that the turn is over. Null if the model fails or is late. */
  async resultOf({ completion }: Pause): Promise<number | null> {
    const { clock, metrics } = this.#services;
    try {
      const probability = await withTimeout(clock, completion, COMPLETION_LIMIT_MS, 'end-of-turn model');
      metrics.turnModel('used');
      return probability;
    } catch (thrown) {
      metrics.turnModel(thrown instanceof TimeoutError ? 'late' : 'failed');
      return null;
    }
  }

  /** The user speaks again, or the call has ended. */
  end(): void {
    this.#pause?.abort.abort(new Error('the pause is over'));
    this.#pause = null;
  }
}
