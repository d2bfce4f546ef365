import { systemClock, withTimeout } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import {
  ErrorCode,
  Events,
  NatsError,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  type Subscription,
} from 'nats';
import { BusUnavailableError } from './bus-error.ts';

/** The state of the connection to the bus. */
export interface ConnectionStatus {
  readonly connected: boolean;
  /** Time since the connection was established or re-established; 0 while disconnected. */
  readonly connectedForMs: number;
  /** Resolves if the server responds to a round trip, rejects otherwise. */
  ping(): Promise<void>;
}

export const DEFAULT_PUBLISH_LIMIT_MS = 2000;
const MANAGER_LIMIT_MS = 5000;
const FLUSH_LIMIT_MS = 1000;
/** With a list of servers, the next one is tried immediately. */
const RECONNECT_WAIT_MS = 1000;

/**
 * For each response, the client creates an error with a stack, to reject a promise that is already settled. Sharing one
 * error saves a third of the processor time of a request.
 */
const cancelled = NatsError.errorForCode(ErrorCode.Cancelled);
const errorForCode = NatsError.errorForCode.bind(NatsError);
NatsError.errorForCode = (code, chained) =>
  code === ErrorCode.Cancelled.valueOf() ? cancelled : errorForCode(code, chained);

type OnReconnect = (connection: Connection) => Promise<void>;

/** One NATS connection, which reconnects without a limit. `onReconnect` runs after each loss. */
export class Connection implements ConnectionStatus, AsyncDisposable {
  readonly nats: NatsConnection;
  readonly jetStream: JetStreamClient;
  readonly log: Logger;
  readonly #publishLimitMs: number;
  readonly #openedAtMs = systemClock.nowMs();
  #connected = true;
  #reconnectedAtMs = -Infinity;
  /** Resolves when the current loss of the connection ends. */
  #reconnected = Promise.withResolvers<null>();

  constructor(
    nats: NatsConnection,
    { log, publishLimitMs }: { log: Logger; publishLimitMs: number },
    onReconnect: OnReconnect,
  ) {
    this.nats = nats;
    this.jetStream = nats.jetstream({ timeout: publishLimitMs, checkAPI: false });
    this.log = log;
    this.#publishLimitMs = publishLimitMs;
    void this.#watch(onReconnect);
  }

  get connected(): boolean {
    return this.#connected;
  }

  get connectedForMs(): number {
    if (!this.#connected) return 0;
    return systemClock.nowMs() - Math.max(this.#openedAtMs, this.#reconnectedAtMs);
  }

  /** Time since the last loss of the connection ended; Infinity if it was never lost. */
  get sinceReconnectMs(): number {
    return systemClock.nowMs() - this.#reconnectedAtMs;
  }

  /** Sends a message that may be lost. No effect while the bus is unavailable. */
  broadcast(subject: string, message: unknown): void {
    if (this.#connected && !this.nats.isClosed()) this.nats.publish(subject, JSON.stringify(message));
  }

  /** Receives broadcast messages of all processes, including this one, except those of releases that differ too much. */
  receive<T>(
    subject: string,
    validator: { parse(value: unknown): T },
    use: (message: T) => void,
  ): Subscription {
    return this.nats.subscribe(subject, {
      callback: (_, message) => {
        let value: T;
        try {
          value = validator.parse(message.json());
        } catch {
          return;
        }
        use(value);
      },
    });
  }

  /** Throws a BusUnavailableError while disconnected. `what`: the operation, for the error. */
  assertConnected(what: string): void {
    if (!this.#connected) throw new BusUnavailableError(what, undefined);
  }

  /** Resolves when connected. Throws a BusUnavailableError if no server of the list accepts a connection in time. */
  async whenConnected(what: string): Promise<void> {
    if (this.#connected) return;
    await withTimeout(systemClock, this.#reconnected.promise, RECONNECT_WAIT_MS, what).catch(
      (thrown: unknown) => {
        throw new BusUnavailableError(what, thrown);
      },
    );
  }

  /** Returns the manager of streams and consumers. `limitMs` applies to each of its requests. */
  manager(limitMs = MANAGER_LIMIT_MS): Promise<JetStreamManager> {
    return this.nats.jetstreamManager({ timeout: limitMs, checkAPI: false });
  }

  async ping(): Promise<void> {
    this.assertConnected('ping');
    const pong = withTimeout(systemClock, this.nats.flush(), this.#publishLimitMs, 'ping');
    await pong.catch((thrown: unknown) => {
      throw new BusUnavailableError('ping', thrown);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#connected) {
      await withTimeout(systemClock, this.nats.flush(), FLUSH_LIMIT_MS, 'flush').catch(() => undefined);
    }
    await this.nats.close();
  }

  async #watch(onReconnect: OnReconnect): Promise<void> {
    let isRejectionLogged = false;
    for await (const status of this.nats.status()) {
      if (status.type === Events.Disconnect) {
        this.#connected = false;
        this.#reconnected = Promise.withResolvers();
        this.log.warn({}, 'message bus disconnected; reconnecting');
      } else if (status.type === Events.Error && status.data === ErrorCode.AuthorizationViolation) {
        if (!isRejectionLogged)
          this.log.error({}, 'message bus rejected the credentials of NATS_URL; retrying');
        isRejectionLogged = true;
      } else if (status.type === Events.Reconnect) {
        this.#connected = true;
        isRejectionLogged = false;
        this.#reconnectedAtMs = systemClock.nowMs();
        this.#reconnected.resolve(null);
        this.log.info({}, 'message bus reconnected');
        await onReconnect(this).catch((thrown: unknown) => {
          this.log.error({ err: toError(thrown) }, 'failed to ensure JetStream streams');
        });
      }
    }
    this.#connected = false;
  }
}
