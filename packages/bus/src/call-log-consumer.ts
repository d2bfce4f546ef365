import { callLogEntryValidator, type CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import { abortable, delay, systemClock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { runInTrace } from '@calls/foundation/trace-context';
import type { Consumer, ConsumerMessages, JsMsg } from 'nats';
import { KeyedTaskQueue } from './keyed-task-queue.ts';
import { decodePayload, traceOf } from './payload.ts';
import { EVENT_ACK_WAIT_MS } from './topology.ts';

const LOCAL_RETRY_DELAYS_MS = [50, 200, 1000, 3000] as const;
const SERVER_RETRY_DELAYS_MS = [1000, 5000, 15_000, 60_000] as const;
const RESTART_DELAY_MS = 1000;
/** Short, so that a deleted consumer is detected early. The restart creates it again. */
const PULL_EXPIRES_MS = 10_000;

export interface ConsumeOptions {
  /** Maximum number of unacknowledged entries. */
  maxInFlight: number;
  /** Maximum number of calls whose entries are handled concurrently. */
  concurrency: number;
}

export interface CallLogConsumerDeps {
  /** Creates the durable consumer if it is missing. */
  open: () => Promise<Consumer>;
  handle: (event: CallLogEntry) => Promise<void>;
  options: ConsumeOptions;
  log: Logger;
}

/** The loop behind `CallLogs.consume`. Restarts after the loss of the server, the stream or the consumer. */
export class CallLogConsumer implements AsyncDisposable {
  readonly #deps: CallLogConsumerDeps;
  readonly #tasks: KeyedTaskQueue;
  readonly #stop = new AbortController();
  /** Messages in work. They are reported to the server, which would otherwise redeliver them to another consumer. */
  readonly #held = new Set<JsMsg>();
  readonly #holding: AsyncDisposable;
  #messages: ConsumerMessages | undefined;
  #loop: Promise<void>;

  constructor(deps: CallLogConsumerDeps) {
    this.#deps = deps;
    this.#tasks = new KeyedTaskQueue(deps.options.concurrency);
    this.#holding = startPeriodicTask({
      name: 'call events held',
      intervalMs: EVENT_ACK_WAIT_MS / 3,
      clock: systemClock,
      log: deps.log,
      run: () => {
        for (const message of this.#held) message.working();
        return Promise.resolve();
      },
    });
    this.#loop = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#messages?.close();
    await this.#loop;
    await this.#tasks.idle();
    await this.#holding[Symbol.asyncDispose]();
  }

  async #run(): Promise<void> {
    const { log, options } = this.#deps;
    const stopping = (): boolean => this.#stop.signal.aborted;
    while (!stopping()) {
      try {
        const consumer = await abortable(this.#deps.open(), this.#stop.signal);
        this.#messages = await consumer.consume({
          max_messages: options.maxInFlight,
          expires: PULL_EXPIRES_MS,
          abort_on_missing_resource: true,
        });
        // The loop below ends when the messages are closed; awaiting the close here would block.
        if (stopping()) void this.#messages.close();
        for await (const message of this.#messages) await this.#take(message);
      } catch (thrown) {
        if (stopping()) return;
        log.warn({ err: toError(thrown) }, 'call log consumer stopped; restarting');
      }
      await delay(systemClock, RESTART_DELAY_MS, this.#stop.signal).catch(() => undefined);
    }
  }

  async #take(message: JsMsg): Promise<void> {
    let event: CallLogEntry;
    try {
      event = callLogEntryValidator.parse(await decodePayload(message.data));
    } catch (thrown) {
      this.#deps.log.error(
        { subject: message.subject, err: toError(thrown) },
        'dropped malformed call log entry',
      );
      message.term();
      return;
    }
    const { callId } = event;
    this.#held.add(message);
    const handle = (): Promise<void> =>
      this.#handle(event, message).finally(() => this.#held.delete(message));
    this.#tasks.add(callId, () => runInTrace(traceOf(message.headers), handle, callId));
  }

  async #handle(event: CallLogEntry, message: JsMsg): Promise<void> {
    for (const retryDelayMs of [...LOCAL_RETRY_DELAYS_MS, null]) {
      if (this.#stop.signal.aborted) {
        message.nak();
        return;
      }
      try {
        await this.#deps.handle(event);
        message.ack();
        return;
      } catch (thrown) {
        const fields = { callId: event.callId, seq: event.seq, type: event.body.type, err: toError(thrown) };
        this.#deps.log.warn(fields, 'failed to handle call log entry; will retry');
        if (retryDelayMs === null) break;
        await delay(systemClock, retryDelayMs, this.#stop.signal).catch(() => undefined);
      }
    }
    const step = Math.min(message.info.deliveryCount, SERVER_RETRY_DELAYS_MS.length) - 1;
    message.nak(SERVER_RETRY_DELAYS_MS[Math.max(0, step)]);
  }
}
