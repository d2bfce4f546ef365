import type { Clock, Timer } from '@calls/foundation/clock';
import type { ListenConnection } from './listen-connection.ts';

/** Time limit after an utterance for the provider to finish its audio. */
const FLUSH_LIMIT_MS = 2000;
const IDLE_LIMIT_MS = 60_000;
const MAX_IDLE = 16;

/**
 * Reuses connections for later utterances with the same settings, which saves the handshake. At most `MAX_IDLE` idle
 * connections, each for `IDLE_LIMIT_MS`, because the provider limits open connections.
 */
export class WarmConnections implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #connect: (path: string) => ListenConnection;
  /** In order of use, the most recent last. */
  readonly #idle = new Map<ListenConnection, Timer>();
  /** Returned with audio whose transcript is no longer needed. */
  readonly #flushing = new Map<ListenConnection, Timer>();
  #closed = false;

  constructor(clock: Clock, connect: (path: string) => ListenConnection) {
    this.#clock = clock;
    this.#connect = connect;
  }

  get size(): number {
    return this.#idle.size + this.#flushing.size;
  }

  /** The caller owns the connection until it is returned. */
  take(path: string): ListenConnection {
    const warm = [...this.#idle.keys()].findLast((connection) => connection.path === path);
    if (!warm) return this.#connect(path);
    this.#forget(this.#idle, warm);
    return warm;
  }

  takeNew(path: string): ListenConnection {
    return this.#connect(path);
  }

  giveBack(connection: ListenConnection): void {
    if (this.#closed || !connection.isReusable) connection.close();
    else if (connection.isFlushed) this.#addIdle(connection);
    else this.#flush(connection);
  }

  /** Connections in use are closed when they are returned. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const connections of [this.#idle, this.#flushing])
      for (const connection of [...connections.keys()]) this.#drop(connections, connection);
    return Promise.resolve();
  }

  #flush(connection: ListenConnection): void {
    const drop = (): void => this.#drop(this.#flushing, connection);
    this.#flushing.set(connection, this.#clock.setTimer(FLUSH_LIMIT_MS, drop));
    connection.use({
      onResult: () => undefined,
      onFlushed: () => {
        this.#forget(this.#flushing, connection);
        this.#addIdle(connection);
      },
      onLost: drop,
    });
    connection.finalize();
  }

  #addIdle(connection: ListenConnection): void {
    const drop = (): void => this.#drop(this.#idle, connection);
    this.#idle.set(connection, this.#clock.setTimer(IDLE_LIMIT_MS, drop));
    connection.use({ onResult: () => undefined, onFlushed: () => undefined, onLost: drop });
    const [oldest] = this.#idle.keys();
    if (this.#idle.size > MAX_IDLE && oldest) this.#drop(this.#idle, oldest);
  }

  #drop(connections: Map<ListenConnection, Timer>, connection: ListenConnection): void {
    this.#forget(connections, connection);
    connection.close();
  }

  #forget(connections: Map<ListenConnection, Timer>, connection: ListenConnection): void {
    connections.get(connection)?.cancel();
    connections.delete(connection);
  }
}
