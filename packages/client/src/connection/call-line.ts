import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { Device } from 'mediasoup-client';
import type { CallEnd } from '../call-events.ts';
import { CallError, toCallError } from '../call-error.ts';
import { ENDED, type Closing } from './closing.ts';
import { Connection, ConnectionFailure } from './connection.ts';
import { DEFAULT_GRACE_MS, pauseBeforeRetryMs, ATTEMPT_TIMES } from './reconnect-policy.ts';
import { Unreachable } from './unreachable.ts';

/** Messages queued while the connection is being restored. */
const MAX_WAITING_MESSAGES = 64;

export interface CallLineOptions {
  url: string;
  createDevice: () => Device;
  iceTransportPolicy?: RTCIceTransportPolicy | undefined;
  /** The current track of the user. */
  microphone: () => Promise<MediaStreamTrack | null>;
  onMessage: (message: ServerMessage) => void;
  onConnected: (agentTrack: MediaStreamTrack) => void;
  /** The connection was lost and is being restored. */
  onLost: () => void;
  /** Called once, when a call that was joined has ended. */
  onEnded: (end: CallEnd) => void;
}

/** The connection to one call, from the join until the end. Reconnects when it is lost. */
export class CallLine {
  readonly #options: CallLineOptions;
  readonly #leaving = new AbortController();
  readonly #waiting: ClientMessage[] = [];
  #connection: Connection | null = null;
  #graceMs = DEFAULT_GRACE_MS;
  /** Settles when the call is over. */
  #working = Promise.resolve();

  constructor(options: CallLineOptions) {
    this.#options = options;
  }

  /** Resolves when the call is joined. Rejects with a CallError. */
  async join(): Promise<void> {
    const unreachable = new Unreachable(this.#options.url);
    const joined = this.#connect('joining');
    this.#working = joined.then(
      (connection) => this.#maintain(connection),
      () => undefined,
    );
    try {
      await joined;
    } catch (thrown) {
      const isUnreached = thrown instanceof ConnectionFailure && thrown.isUnreached;
      const { signal } = this.#leaving;
      const reason = isUnreached ? await unreachable.why(signal) : reasonOf(thrown);
      throw signal.aborted ? left() : reason;
    } finally {
      unreachable.close();
    }
  }

  /** Throws if too many messages are queued for the connection. */
  send(message: ClientMessage): void {
    if (this.#connection?.send(message)) return;
    if (this.#waiting.length >= MAX_WAITING_MESSAGES) {
      throw new CallError(
        'too_many_messages',
        `the connection is lost and ${MAX_WAITING_MESSAGES} messages are already queued`,
      );
    }
    this.#waiting.push(message);
  }

  async setMicrophone(track: MediaStreamTrack | null): Promise<void> {
    await this.#connection?.setMicrophone(track);
  }

  async getStats(): Promise<{ send: RTCStatsReport; receive: RTCStatsReport } | null> {
    return (await this.#connection?.getStats()) ?? null;
  }

  /** Hangs up or cancels the join. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#working;
  }

  /** Retries according to `pauseBeforeRetryMs`. */
  async #connect(was: 'joining' | 'lost'): Promise<Connection> {
    const { microphone, onConnected } = this.#options;
    const { signal } = this.#leaving;
    const sinceMs = performance.now();
    const onMessage = (message: ServerMessage): void => {
      if (message.type === 'call_started') this.#graceMs = message.reconnectGraceMs ?? DEFAULT_GRACE_MS;
      this.#options.onMessage(message);
    };
    for (let retries = 1; ; retries += 1) {
      try {
        signal.throwIfAborted();
        const times = ATTEMPT_TIMES[was];
        const connection = await Connection.open({ ...this.#options, onMessage, times, signal });
        // The microphone may have changed in the meantime.
        await connection.setMicrophone(await microphone());
        signal.throwIfAborted();
        this.#connection = connection;
        // Sent before `onConnected`, in which the page may send more.
        for (const message of this.#waiting.splice(0)) connection.send(message);
        onConnected(connection.agentTrack);
        return connection;
      } catch (thrown) {
        if (signal.aborted) throw left();
        const lostForMs = performance.now() - sinceMs;
        const pauseMs =
          thrown instanceof ConnectionFailure
            ? pauseBeforeRetryMs({
                closeCode: thrown.closing.code,
                was,
                lostForMs,
                retries,
                graceMs: this.#graceMs,
              })
            : null;
        if (pauseMs === null) throw thrown;
        await pause(pauseMs, signal);
      }
    }
  }

  async #maintain(first: Connection): Promise<void> {
    const { onLost, onEnded } = this.#options;
    try {
      for (let connection = first; ; connection = await this.#connect('lost')) {
        const closing = await connection.closed;
        this.#connection = null;
        if (this.#leaving.signal.aborted || !isWorthRetrying(closing)) throw new ConnectionFailure(closing);
        onLost();
      }
    } catch (thrown) {
      onEnded(this.#endOf(thrown));
    }
  }

  #endOf(thrown: unknown): CallEnd {
    if (this.#leaving.signal.aborted) return { reason: 'hangup', error: null };
    if (thrown instanceof ConnectionFailure && thrown.closing.code === ENDED) {
      return { reason: thrown.closing.reason || null, error: null };
    }
    return { reason: null, error: reasonOf(thrown) };
  }
}

function left(): CallError {
  return new CallError('left', 'the client has left the call');
}

function isWorthRetrying({ code }: Closing): boolean {
  const now = { lostForMs: 0, retries: 0, graceMs: DEFAULT_GRACE_MS };
  return pauseBeforeRetryMs({ closeCode: code, was: 'joined', ...now }) !== null;
}

function reasonOf(thrown: unknown): CallError {
  return thrown instanceof ConnectionFailure ? thrown.cause : toCallError(thrown, 'connection_failed');
}

function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, pauseMs);
    signal.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
