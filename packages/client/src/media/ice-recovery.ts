import type { IceParameters } from '@calls/api-contract/signalling/signal-messages';
import type { ConnectionState } from 'mediasoup-client/types';

/** Chromium reports `disconnected` for gaps of a few seconds that often end by themselves. */
const GRACE_MS = 500;
/**
 * Interval of ICE restarts, and time limit for the response to each request. Without a response, signalling is disconnected
 * as well.
 */
const RETRY_MS = 3000;
/** The service waits 10 s for the media to reconnect. */
const LIMIT_MS = 9000;

export interface IceRecoveryOptions {
  /** Requests new ICE parameters from the service. */
  requestRestart: () => Promise<IceParameters>;
  restart: (iceParameters: IceParameters) => Promise<void>;
  /** Recovery failed: the call needs a new connection. Called once. */
  onGivenUp: () => void;
}

/**
 * Restarts ICE of a disconnected transport until it reconnects or the time limit has passed. Does nothing before the
 * first connection.
 */
export class IceRecovery {
  readonly #options: IceRecoveryOptions;
  #wasConnected = false;
  #next: ReturnType<typeof setTimeout> | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;

  constructor(options: IceRecoveryOptions) {
    this.#options = options;
  }

  onState(state: ConnectionState): void {
    if (state === 'connected') {
      this.#wasConnected = true;
      this.close();
    } else if (state === 'closed') {
      this.close();
    } else if ((state === 'disconnected' || state === 'failed') && this.#wasConnected) {
      this.#limit ??= setTimeout(() => this.#giveUp(), LIMIT_MS);
      this.#next ??= setTimeout(() => void this.#restart(), state === 'failed' ? 0 : GRACE_MS);
    }
  }

  close(): void {
    clearTimeout(this.#next);
    clearTimeout(this.#limit);
    this.#next = undefined;
    this.#limit = undefined;
  }

  #giveUp(): void {
    this.close();
    this.#options.onGivenUp();
  }

  async #restart(): Promise<void> {
    const { requestRestart, restart } = this.#options;
    let isAnswered = false;
    this.#next = setTimeout(() => (isAnswered ? void this.#restart() : this.#giveUp()), RETRY_MS);
    try {
      const iceParameters = await requestRestart().finally(() => (isAnswered = true));
      // Checks that the transport has not reconnected or closed in the meantime.
      if (this.#limit !== undefined) await restart(iceParameters);
    } catch {
      // Tried again until the limit.
    }
  }
}
