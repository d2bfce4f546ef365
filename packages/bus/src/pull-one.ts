import { createInbox, nanos, type Msg, type MsgHdrs, type NatsConnection } from 'nats';

/** How long to wait for the response beyond the server's own limit. */
const ANSWER_GRACE_MS = 1000;
/** How long the server may take to drop a request. */
const DROP_LIMIT_MS = 500;

export type PullResult =
  | { kind: 'message'; message: PulledMessage }
  | { kind: 'empty' }
  | { kind: 'unavailable' };

/** A message of a pull consumer with JetStream's acknowledgements. */
export class PulledMessage {
  readonly #connection: NatsConnection;
  readonly #message: Msg;

  constructor(connection: NatsConnection, message: Msg) {
    this.#connection = connection;
    this.#message = message;
  }

  get subject(): string {
    return this.#message.subject;
  }

  get data(): Uint8Array {
    return this.#message.data;
  }

  get headers(): MsgHdrs | undefined {
    return this.#message.headers;
  }

  /** Resolves when the server has confirmed. */
  async ack(limitMs: number): Promise<void> {
    await this.#connection.request(this.#message.reply ?? '', '+ACK', { timeout: limitMs });
  }

  /** Returns the message to the queue after `delayMs`. */
  nak(delayMs: number): void {
    this.#message.respond(`-NAK ${JSON.stringify({ delay: nanos(Math.round(delayMs)) })}`);
  }

  /** Prevents redelivery. */
  terminate(): void {
    this.#message.respond('+TERM');
  }
}

/**
 * Requests one message from a pull consumer. `unavailable`: the server did not respond, or the consumer does not exist. After
 * an abort the server drops the request; a message that was already sent is still returned.
 */
export function pullOne(
  connection: NatsConnection,
  /** `waitMs` is a whole number; 0 takes only what waits now. */
  target: { stream: string; consumer: string; waitMs: number },
  signal: AbortSignal,
): Promise<PullResult> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ kind: 'empty' });
      return;
    }
    const inbox = createInbox();
    const finish = (result: PullResult): void => {
      clearTimeout(limit);
      signal.removeEventListener('abort', onAbort);
      if (!subscription.isClosed()) subscription.unsubscribe();
      resolve(result);
    };
    const onAbort = (): void => {
      const end = (): void => finish({ kind: 'empty' });
      clearTimeout(limit);
      limit = setTimeout(end, DROP_LIMIT_MS);
      subscription.drain().then(end, end);
    };
    let limit = setTimeout(() => finish({ kind: 'unavailable' }), target.waitMs + ANSWER_GRACE_MS);
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error) {
          finish({ kind: 'unavailable' });
          return;
        }
        const code = message.headers?.code ?? 0;
        if (code === 0) finish({ kind: 'message', message: new PulledMessage(connection, message) });
        // 100 is a heartbeat; 404 and 408 say that nothing came; all else that the consumer can't serve.
        else if (code === 404 || code === 408) finish({ kind: 'empty' });
        else if (code !== 100) finish({ kind: 'unavailable' });
      },
    });
    signal.addEventListener('abort', onAbort, { once: true });
    const request =
      target.waitMs > 0 ? { batch: 1, expires: nanos(target.waitMs) } : { batch: 1, no_wait: true };
    connection.publish(
      `$JS.API.CONSUMER.MSG.NEXT.${target.stream}.${target.consumer}`,
      JSON.stringify(request),
      { reply: inbox },
    );
  });
}
