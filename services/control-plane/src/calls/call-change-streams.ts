import type { CallChange } from '@calls/api-contract/bus/call-change';
import type { Bus } from '@calls/bus/bus';
import type { ConnectionStatus } from '@calls/bus/connection';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { limited, unavailable } from '../problems/problem.ts';

export interface CallChangeLimits {
  /** Maximum number of streams in this process, in total and per account. */
  streams: number;
  streamsOfAccount: number;
  /** A stream with more unsent bytes is closed. */
  bufferedBytes: number;
}

const CALL_CHANGE_LIMITS: CallChangeLimits = {
  streams: 1000,
  streamsOfAccount: 20,
  bufferedBytes: 64 * 1024,
};
const HEARTBEAT_MS = 10_000;
/** How long clients wait before they reconnect. */
const RETRY_MS = 3000;
const RESYNC = 'event: resync\ndata: {}\n\n';

/** The HTTP response that carries a stream. */
export interface StreamSink {
  /** Bytes that are not sent yet. */
  readonly writableLength: number;
  /** Whether the client has disconnected. */
  readonly destroyed: boolean;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

interface Stream {
  readonly accountId: string;
  readonly sink: StreamSink;
  readonly isAllowed: () => Promise<boolean>;
}

export interface CallChangeStreamsDeps {
  bus: {
    callChanges: Pick<Bus['callChanges'], 'subscribe'>;
    connection: Pick<ConnectionStatus, 'connectedForMs'>;
  };
  clock: Clock;
  log: Logger;
}

/**
 * Server-sent events about the calls of an account. Nothing is stored: `resync` says that changes may have been missed,
 * at the start of each stream and after the loss of the bus.
 */
export class CallChangeStreams {
  readonly #deps: CallChangeStreamsDeps;
  readonly #limits: CallChangeLimits;
  readonly #byAccount = new Map<string, Set<Stream>>();
  #count = 0;
  #state: 'new' | 'open' | 'closed' = 'new';

  constructor(deps: CallChangeStreamsDeps, limits = CALL_CHANGE_LIMITS) {
    this.#deps = deps;
    this.#limits = limits;
  }

  /** Starts to deliver. Disposal ends all streams. */
  start(): AsyncDisposable {
    const { bus, clock, log } = this.#deps;
    this.#state = 'open';
    const subscription = bus.callChanges.subscribe((change) => this.#deliver(change));
    const heartbeat = startPeriodicTask({
      name: 'heartbeat of call change streams',
      intervalMs: HEARTBEAT_MS,
      clock,
      log,
      run: () => this.#sendHeartbeats(),
    });
    return {
      [Symbol.asyncDispose]: async () => {
        this.#state = 'closed';
        subscription[Symbol.dispose]();
        for (const stream of this.#all()) stream.sink.end();
        await heartbeat[Symbol.asyncDispose]();
      },
    };
  }

  /** Throws a problem if there are too many streams. Call it before `open`. */
  assertRoom(accountId: string): void {
    if (this.#state !== 'open' || this.#count >= this.#limits.streams) throw unavailable();
    const { streamsOfAccount } = this.#limits;
    if ((this.#byAccount.get(accountId)?.size ?? 0) >= streamsOfAccount) {
      const detail = `The account has ${streamsOfAccount} open streams of changes; close one first.`;
      throw limited('concurrency', detail, HEARTBEAT_MS);
    }
  }

  /** Adds a stream. `isAllowed` is called with each heartbeat: false ends the stream, and a rejection does not. */
  open(stream: Stream): void {
    const { accountId, sink } = stream;
    // The client disconnected while its key was checked, so `close` will not be emitted again.
    if (sink.destroyed) return;
    const streams = this.#byAccount.get(accountId) ?? new Set();
    this.#byAccount.set(accountId, streams.add(stream));
    this.#count += 1;
    sink.once('close', () => {
      this.#count -= 1;
      streams.delete(stream);
      if (streams.size === 0) this.#byAccount.delete(accountId);
    });
    this.#write(stream, `retry: ${RETRY_MS}\n\n${RESYNC}`);
  }

  #deliver({ accountId, callId, state }: CallChange): void {
    const text = `event: call\ndata: ${JSON.stringify({ callId, state })}\n\n`;
    for (const stream of this.#byAccount.get(accountId) ?? []) this.#write(stream, text);
  }

  async #sendHeartbeats(): Promise<void> {
    const wasAway = this.#deps.bus.connection.connectedForMs < HEARTBEAT_MS;
    const text = wasAway ? RESYNC : ': heartbeat\n\n';
    await Promise.all(
      this.#all().map(async (stream) => {
        if (await stream.isAllowed().catch(() => true)) this.#write(stream, text);
        else stream.sink.end();
      }),
    );
  }

  #write({ sink }: Stream, text: string): void {
    sink.write(text);
    // The client does not read. It gets `resync` when it reconnects.
    if (sink.writableLength > this.#limits.bufferedBytes) sink.destroy();
  }

  #all(): Stream[] {
    return [...this.#byAccount.values()].flatMap((streams) => [...streams]);
  }
}
