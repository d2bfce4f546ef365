import type { Clock, Timer } from '@calls/foundation/clock';
import type { types } from 'mediasoup';

/** How long media may be disconnected before the call counts as disconnected. An ICE restart may restore it before. */
export const DISCONNECT_LIMIT_MS = 10_000;

/** The parts of a WebRtcTransport that are used. */
export interface WatchedTransport extends Pick<types.WebRtcTransport, 'iceState' | 'dtlsState'> {
  on(event: 'icestatechange' | 'dtlsstatechange', listener: () => void): unknown;
}

/** Detects that a client's media does not return. A transport counts after its first connection. */
export class MediaWatch {
  readonly #clock: Clock;
  readonly #onLost: () => void;
  readonly #connected = new Set<WatchedTransport>();
  #timer: Timer | null = null;

  constructor(clock: Clock, onLost: () => void) {
    this.#clock = clock;
    this.#onLost = onLost;
  }

  /** Whether media was connected and is not now. */
  get isDisconnected(): boolean {
    return this.#timer !== null;
  }

  /** Watches until the transport closes. */
  watch(transport: WatchedTransport): void {
    transport.on('icestatechange', () => this.#update(transport));
    transport.on('dtlsstatechange', () => this.#update(transport));
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#connected.clear();
  }

  #update(transport: WatchedTransport): void {
    if (isUp(transport)) this.#connected.add(transport);
    if ([...this.#connected].every(isUp)) {
      this.#timer?.cancel();
      this.#timer = null;
    } else {
      this.#timer ??= this.#clock.setTimer(DISCONNECT_LIMIT_MS, this.#onLost);
    }
  }
}

function isUp({ iceState, dtlsState }: WatchedTransport): boolean {
  return (iceState === 'connected' || iceState === 'completed') && dtlsState === 'connected';
}
