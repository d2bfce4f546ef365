import { withTimeout, type Clock } from '@calls/foundation/clock';
import type { TurnLoop } from './turn-loop.ts';
import type { UserSide } from './user-side.ts';

/** Longest time that a reconnecting client waits for the transcript. */
export const SUSPENSION_LIMIT_MS = 2000;

/** Waits for the transcript of the user's last utterance when a session ends. */
export class FinalTranscript {
  readonly #loop: TurnLoop;
  readonly #user: UserSide;
  readonly #complete = Promise.withResolvers<undefined>();

  constructor(loop: TurnLoop, user: UserSide) {
    this.#loop = loop;
    this.#user = user;
  }

  /** Call after each effect. */
  progress(): void {
    const { state } = this.#loop;
    if (state.kind === 'closed' && !state.user) this.#complete.resolve(undefined);
  }

  /**
   * Call once the turn loop is closed. Resolves when no transcript is pending, after `limitMs` at the latest,
   * and then closes the user's side.
   */
  async settled(clock: Clock, limitMs: number): Promise<void> {
    this.progress();
    await withTimeout(clock, this.#complete.promise, limitMs, 'the final transcript').catch(() =>
      this.#giveUp(),
    );
    this.#user.close();
  }

  #giveUp(): void {
    const { state } = this.#loop;
    if (state.kind !== 'closed' || !state.user) return;
    const { utterance, revision } = state.user;
    this.#loop.dispatch({ type: 'transcription_failed', utterance, revision });
  }
}
