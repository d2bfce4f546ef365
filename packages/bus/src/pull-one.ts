import { createInbox, nanos, type Msg, type NatsConnection } from 'nats';

/** How long to wait for the response beyond the server's own limit. */
const REPLY_GRACE_MS = 1000;
/** How long the server may take to drop a request. */
const DROP_LIMIT_MS = 500;

export type PullResult = { kind: 'message'; message: Msg } | { kind: 'empty' } | { kind: 'unavailable' };

/**
 * Requests one message from a pull consumer. `unavailable`: the server did not respond, or the consumer does not exist. After
 * an abort the server drops the request; a message that was already sent is still returned. The pulls of the nats package
 * cannot be aborted without losing such a message until its redelivery, or wait for at least a second.
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
    let limit = setTimeout(() => finish({ kind: 'unavailable' }), target.waitMs + REPLY_GRACE_MS);
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error) {
          finish({ kind: 'unavailable' });
          return;
        }
        const code = message.headers?.code ?? 0;
        if (code === 0) finish({ kind: 'message', message });
        // 100 is a heartbeat. 404 and 408 mean that no message arrived; other codes mean that the consumer is
        // unavailable.
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
