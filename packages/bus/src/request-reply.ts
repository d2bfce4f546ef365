import type { RequestDefinition, RequestReply } from '@calls/api-contract/bus/request-reply';
import { abortable, delay, systemClock, withTimeout } from '@calls/foundation/clock';
import { AppError, TimeoutError, toError } from '@calls/foundation/errors';
import { runInTrace } from '@calls/foundation/trace-context';
import { failOnUnhandledRejection } from '@calls/foundation/unhandled-rejections';
import type { Msg, NatsConnection } from 'nats';
import {
  asBusError,
  isNoResponders,
  isTimeout,
  MessageTooLargeError,
  NoRespondersError,
} from './bus-error.ts';
import type { Connection } from './connection.ts';
import { decodePayload, encodeWithinLimit, encodePayload, traceOf, type EncodedPayload } from './payload.ts';

/** The second attempt may reach another control-plane. */
const ATTEMPTS = 2;
const PAUSE_MS = 200;
const DRAIN_LIMIT_MS = 1000;
/** Queue group: each request is delivered to one control-plane. */
const QUEUE = 'control_plane';
/** Concurrent requests of one kind per process; further ones are rejected immediately with this code. */
const MAX_RUNNING = 64;
export const CONTROL_PLANE_BUSY = 'control_plane_busy';

/** Requests of media-workers about their calls. Any control-plane responds. */
export class ControlPlaneRequests {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Resolves with the reply; retryable errors are retried once. Rejects with the AppError of the handler, with a
   * NoRespondersError if no control-plane responds, or with the signal's reason on abort.
   */
  async send<Request, Reply>(
    definition: RequestDefinition<Request, Reply>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { nats } = this.#connection;
    this.#connection.assertConnected(definition.name);
    const payload = await encodeWithinLimit(nats, definition.name, definition.request.parse(request));
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await abortable(requestOnce(nats, definition, payload), signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (attempt === ATTEMPTS || !(thrown instanceof AppError && thrown.retryable)) throw thrown;
      }
      await delay(systemClock, PAUSE_MS, signal);
    }
  }

  /**
   * Responds to a share of the requests until disposed. The requester receives an AppError that `handle` throws; other errors
   * are reported without details. Disposal waits for running handlers.
   */
  respond<Request, Reply>(
    definition: RequestDefinition<Request, Reply>,
    handle: (request: Request) => Promise<Reply>,
  ): AsyncDisposable {
    const { nats, log } = this.#connection;
    const { name } = definition;
    const running = new Set<Promise<void>>();

    const replyTo = async (message: Msg): Promise<RequestReply<Reply>> => {
      try {
        const request = definition.request.parse(await decodePayload(message.data));
        return { answer: await failOnUnhandledRejection(() => handle(request)) };
      } catch (thrown) {
        if (thrown instanceof AppError) return failure(thrown);
        log.error({ request: name, err: toError(thrown) }, 'failed to handle bus request');
        const detail = `${name}: the control-plane failed`;
        return failure(new AppError('control_plane_failed', detail, { retryable: true }));
      }
    };
    const sendReply = async (message: Msg, reply: RequestReply<Reply>): Promise<void> => {
      const { data, headers } = await encodeWithinLimit(nats, name, reply).catch((thrown: unknown) => {
        if (thrown instanceof MessageTooLargeError) return encodePayload(failure(thrown));
        throw thrown;
      });
      message.respond(data, { headers });
    };
    const respondTo = async (message: Msg): Promise<void> => {
      const reply = running.size < MAX_RUNNING ? await replyTo(message) : failure(busy(name));
      await sendReply(message, reply);
    };

    const subscription = nats.subscribe(definition.subject, {
      queue: QUEUE,
      callback: (error, message) => {
        if (error) return;
        const one = runInTrace(traceOf(message.headers), () => respondTo(message))
          .catch((thrown: unknown) => {
            log.error({ request: name, err: toError(thrown) }, 'failed to reply to bus request');
          })
          .finally(() => running.delete(one));
        running.add(one);
      },
    });
    return {
      [Symbol.asyncDispose]: async () => {
        if (!nats.isClosed()) {
          // A server that is disconnected or hangs does not confirm the drain.
          await withTimeout(systemClock, subscription.drain(), DRAIN_LIMIT_MS, 'drain').catch(
            () => undefined,
          );
        }
        await Promise.all(running);
      },
    };
  }
}

async function requestOnce<Request, Reply>(
  connection: NatsConnection,
  { name, subject, limitMs, reply }: RequestDefinition<Request, Reply>,
  { data, headers }: EncodedPayload,
): Promise<Reply> {
  let message: Msg;
  try {
    message = await connection.request(subject, data, { timeout: limitMs, headers });
  } catch (thrown) {
    if (isNoResponders(thrown)) throw new NoRespondersError(name);
    if (isTimeout(thrown)) throw new TimeoutError(name, limitMs);
    throw asBusError(name, thrown);
  }
  const replied = reply.parse(await decodePayload(message.data));
  if ('answer' in replied) return replied.answer;
  const { code, message: detail, retryable } = replied.failure;
  throw new AppError(code, detail, { retryable });
}

function failure({ code, message, retryable }: AppError): { failure: ReplyFailure } {
  return { failure: { code, message, retryable } };
}

type ReplyFailure = Pick<AppError, 'code' | 'message' | 'retryable'>;

function busy(name: string): AppError {
  return new AppError(CONTROL_PLANE_BUSY, `${name}: the control-plane is busy`, { retryable: true });
}
