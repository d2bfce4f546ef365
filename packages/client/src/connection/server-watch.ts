import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';

const INTERVAL_MS = 1000;
/** After one interval without a message, the server counts as lost when this many more have passed without one. */
const SILENT_INTERVALS = 4;
/** A longer interval means that the page was suspended and may not have read what arrived. */
const SUSPENDED_MS = 2000;

export interface ServerWatchOptions {
  /** Sends a `ping` message. */
  ping: (timestamp: number) => void;
  /** While the media is disconnected, IceRecovery decides. */
  isMediaConnected: () => boolean;
  /** The server has stopped responding. Called once. */
  onLost: () => void;
}

/**
 * Detects a server process that hangs: its socket and media stay connected. Pings it when nothing has arrived for a
 * second. The first response to a ping enables the watch, because calls can be created without `pong` messages.
 */
export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #timer = setInterval(() => this.look(), INTERVAL_MS);
  /** Timestamps of pings without a response. */
  readonly #sent = new Set<number>();
  #checkedMs = performance.now();
  #silentIntervals = 0;
  #hasResponded = false;

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  /** Returns whether the message responds to one of these pings: pages must not see it. */
  receive(message: ServerMessage): boolean {
    this.#silentIntervals = 0;
    if (message.type !== 'pong' || !this.#sent.delete(message.timestamp)) return false;
    this.#hasResponded = true;
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Called every second, and when the call is joined. */
  look(): void {
    const { ping, isMediaConnected, onLost } = this.#options;
    const nowMs = performance.now();
    const canJudge = isMediaConnected() && nowMs - this.#checkedMs < SUSPENDED_MS;
    this.#checkedMs = nowMs;
    this.#silentIntervals = canJudge ? this.#silentIntervals + 1 : 0;
    if (this.#silentIntervals > SILENT_INTERVALS && this.#hasResponded) {
      this.close();
      onLost();
    } else if (this.#silentIntervals > 0 && this.#sent.size < SILENT_INTERVALS) {
      this.#sent.add(nowMs);
      ping(nowMs);
    }
  }
}
