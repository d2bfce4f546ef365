import type { IceParameters } from '@calls/api-contract/signalling/signal-messages';
import type { ConnectionState } from 'mediasoup-client/types';

/** Chromium says `disconnected` of a gap of some seconds that often ends by itself. */
const GRACE_MS = 500;
const RETRY_MS = 3000;
/** The service waits 10 s for the media to be back. */
const LIMIT_MS = 9000;

export interface IceRecoveryOptions {
  /** Asks the service for what a restart needs. */
  requestRestart: () => Promise<IceParameters>;
  restart: (iceParameters: IceParameters) => Promise<void>;
  /** Recovery failed; called once. */
  onGivenUp: () => void;
}

/** Restarts the ICE of a transport that is disconnected, as long as there's hope. Before it has been connected, does nothing. */
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
      this.#limit ??= setTimeout(() => {
        this.close();
        this.#options.onGivenUp();
      }, LIMIT_MS);
      this.#next ??= setTimeout(() => void this.#restart(), state === 'failed' ? 0 : GRACE_MS);
    }
  }

  close(): void {
    clearTimeout(this.#next);
    clearTimeout(this.#limit);
    this.#next = undefined;
    this.#limit = undefined;
  }

  async #restart(): Promise<void> {
    const { requestRestart, restart } = this.#options;
    this.#next = setTimeout(() => void this.#restart(), RETRY_MS);
    try {
      const iceParameters = await requestRestart();
      // Connected again, or closed, meanwhile.
      if (this.#limit !== undefined) await restart(iceParameters);
    } catch {
      // Tried again until the limit.
    }
  }
}
