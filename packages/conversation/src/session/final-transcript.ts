import type { Clock } from '@calls/foundation/clock';
import { withTimeout } from '@calls/foundation/timeout';
import type { TurnLoop } from './turn-loop.ts';
import type { UserSide } from './user-side.ts';

/** A client that comes back waits for no more than this. */
export const SUSPENSION_LIMIT_MS = 2000;

/** What the user said at the end of a session, whose words speech-to-text still has to tell. */
export class FinalTranscript {
  readonly #loop: TurnLoop;
  readonly #user: UserSide;
  readonly #known = Promise.withResolvers<undefined>();

  constructor(loop: TurnLoop, user: UserSide) {
    this.#loop = loop;
    this.#user = user;
  }

  /** To be called after each effect. */
  progress(): void {
    const { state } = this.#loop;
    if (state.kind === 'closed' && !state.user) this.#known.resolve(undefined);
  }

  /** Once the loop is closed: resolves when nothing is to come, at the latest after `limitMs`. Then the user's side is closed. */
  async settled(clock: Clock, limitMs: number): Promise<void> {
    this.progress();
    await withTimeout(clock, this.#known.promise, limitMs, 'the last words').catch(() => this.#giveUp());
    this.#user.close();
  }

  #giveUp(): void {
    const { state } = this.#loop;
    if (state.kind !== 'closed' || !state.user) return;
    const { utterance, revision } = state.user;
    this.#loop.dispatch({ type: 'transcription_failed', utterance, revision });
  }
}
