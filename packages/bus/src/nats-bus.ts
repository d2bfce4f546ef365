import type { CallCommand, CallCommandReply } from '@calls/api-contract/bus/call-commands';
import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import {
  createdCallSubject,
  createdCallValidator,
  type AdmissionClass,
  type CreatedCall,
} from '@calls/api-contract/bus/created-call';
import type { RequestDefinition } from '@calls/api-contract/bus/request-reply';
import { delay, systemClock, withTimeout } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { Events, type JetStreamClient, type JetStreamManager, type KV, type NatsConnection } from 'nats';
import { asBusError, BusUnavailableError, MessageTooLargeError } from './bus-error.ts';
import { readBacklog, type Backlog } from './backlog.ts';
import type { Bus, ConsumeOptions, CreatedCallDelivery } from './bus.ts';
import { requestCommand, serveCommands, type CommandHandler } from './call-commands.ts';
import { CallLogs, type StoredCallLogEntry } from './call-log.ts';
import { CallLogConsumer } from './call-log-consumer.ts';
import { KvLeaseStore, openLeaseBucket, type LeaseStore } from './leases.ts';
import { request, respond } from './request-reply.ts';
import { decodePayload, encodePayload, fits } from './payload.ts';
import { pullOne } from './pull-one.ts';
import {
  CREATED_STREAM,
  createdConsumerName,
  ensureConsumer,
  ensureTopology,
  EVENTS_STREAM,
  eventsConsumer,
} from './topology.ts';
import { KvWorkerDirectory, openWorkerBucket, type WorkerDirectory } from './worker-directory.ts';

const PUBLISH_LIMIT_MS = 2000;
const ACK_LIMIT_MS = 2000;
const PING_LIMIT_MS = 2000;
const STATUS_LIMIT_MS = 1000;
const FLUSH_LIMIT_MS = 1000;

/** The bus over one NATS connection, which reconnects without a limit. */
export class NatsBus implements Bus {
  readonly leases: LeaseStore;
  readonly workers: WorkerDirectory;
  readonly #connection: NatsConnection;
  readonly #jetStream: JetStreamClient;
  readonly #callLogs: CallLogs;
  readonly #log: Logger;
  readonly #consumers = new Set<CallLogConsumer>();
  #manager: JetStreamManager | undefined;
  #connected = true;
  readonly #openedAtMs = systemClock.nowMs();
  #reconnectedAtMs = -Infinity;
  #closed: Promise<void> | undefined;

  constructor(connection: NatsConnection, log: Logger) {
    this.#connection = connection;
    this.#jetStream = connection.jetstream({ timeout: PUBLISH_LIMIT_MS });
    this.#callLogs = new CallLogs(connection, this.#jetStream);
    this.#log = log;
    const workers = new KvWorkerDirectory(
      this.#bucket(openWorkerBucket),
      () => systemClock.nowMs() - this.#reconnectedAtMs,
    );
    this.workers = workers;
    this.leases = new KvLeaseStore(this.#bucket(openLeaseBucket), workers);
    void this.#watchConnection();
  }

  get connected(): boolean {
    return this.#connected;
  }

  get connectedForMs(): number {
    if (!this.#connected) return 0;
    return systemClock.nowMs() - Math.max(this.#openedAtMs, this.#reconnectedAtMs);
  }

  /** Creates or updates streams and consumers. Idempotent. */
  async ensure(): Promise<void> {
    await ensureTopology(await this.#connection.jetstreamManager({ timeout: 5000 }));
    await openLeaseBucket(this.#jetStream);
    await openWorkerBucket(this.#jetStream);
  }

  publishCreatedCall(call: CreatedCall, dedupId: string): Promise<void> {
    return this.#publish(createdCallSubject(call.admissionClass), call, dedupId);
  }

  async appendToCallLog(event: CallLogEntry, after?: number): Promise<number> {
    if (!this.#connected) throw new BusUnavailableError('publish', undefined);
    return this.#callLogs.append(event, after);
  }

  async lastCallLogEntry(callId: string): Promise<StoredCallLogEntry | null> {
    if (!this.#connected) throw new BusUnavailableError('call log', undefined);
    return this.#callLogs.last(callId);
  }

  async readCallLog(callId: string): Promise<StoredCallLogEntry[]> {
    if (!this.#connected) throw new BusUnavailableError('call log', undefined);
    return this.#callLogs.read(callId);
  }

  async takeCreatedCall(
    admissionClass: AdmissionClass,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<CreatedCallDelivery | null> {
    const untilMs = systemClock.nowMs() + waitMs;
    for (;;) {
      const leftMs = Math.max(0, Math.round(untilMs - systemClock.nowMs()));
      const result = this.#connected
        ? await pullOne(
            this.#connection,
            { stream: CREATED_STREAM, consumer: createdConsumerName(admissionClass), waitMs: leftMs },
            signal,
          ).catch(() => ({ kind: 'unavailable' as const }))
        : { kind: 'unavailable' as const };
      if (result.kind === 'empty') return null;
      if (result.kind === 'unavailable') {
        await delay(systemClock, Math.max(0, untilMs - systemClock.nowMs()), signal).catch(() => undefined);
        return null;
      }
      const { message } = result;
      try {
        const call = createdCallValidator.parse(await decodePayload(message.data));
        return {
          call,
          ack: async () => {
            await message.ack(ACK_LIMIT_MS).catch((thrown: unknown) => {
              throw asBusError('created call ack', thrown);
            });
          },
          release: (delayMs) => message.nak(delayMs),
        };
      } catch (thrown) {
        this.#log.error({ subject: message.subject, err: toError(thrown) }, 'dropped malformed created call');
        message.terminate();
      }
    }
  }

  consumeCallLogs(
    durable: string,
    handle: (event: CallLogEntry) => Promise<void>,
    options: ConsumeOptions,
  ): Promise<AsyncDisposable> {
    const open = async () => {
      const manager = await this.#connection.jetstreamManager({ timeout: 5000 });
      await ensureConsumer(manager, EVENTS_STREAM, eventsConsumer(durable, options.maxInFlight));
      return this.#jetStream.consumers.get(EVENTS_STREAM, durable);
    };
    const consumer = new CallLogConsumer({ open, handle, options, log: this.#log });
    this.#consumers.add(consumer);
    return Promise.resolve({
      [Symbol.asyncDispose]: async () => {
        this.#consumers.delete(consumer);
        await consumer[Symbol.asyncDispose]();
      },
    });
  }

  async backlog(durable: string): Promise<Backlog> {
    if (!this.#connected) throw new BusUnavailableError('backlog', undefined);
    try {
      this.#manager ??= await this.#connection.jetstreamManager({ timeout: 5000, checkAPI: false });
      return await readBacklog(this.#manager, durable);
    } catch (thrown) {
      throw asBusError('backlog', thrown);
    }
  }

  async sendCallCommand(
    callId: string,
    command: CallCommand,
    limitMs?: number,
  ): Promise<CallCommandReply | null> {
    if (!this.#connected) throw new BusUnavailableError('call command', undefined);
    return requestCommand(this.#connection, callId, command, limitMs);
  }

  async isServed(callId: string): Promise<boolean> {
    try {
      return (await this.sendCallCommand(callId, { kind: 'status' }, STATUS_LIMIT_MS)) !== null;
    } catch (thrown) {
      if (this.#connected && thrown instanceof BusUnavailableError) return false;
      throw thrown;
    }
  }

  serveCallCommands(callId: string, handle: CommandHandler): Disposable {
    return serveCommands(this.#connection, callId, handle, this.#log);
  }

  async request<Question, Answer>(
    definition: RequestDefinition<Question, Answer>,
    question: Question,
    signal: AbortSignal,
  ): Promise<Answer> {
    if (!this.#connected) throw new BusUnavailableError(definition.name, undefined);
    return request(this.#connection, definition, question, signal);
  }

  respond<Question, Answer>(
    definition: RequestDefinition<Question, Answer>,
    handle: (question: Question) => Promise<Answer>,
  ): AsyncDisposable {
    return respond(this.#connection, definition, handle, this.#log);
  }

  async ping(): Promise<void> {
    if (!this.#connected) throw new BusUnavailableError('ping', undefined);
    await withTimeout(systemClock, this.#connection.flush(), PING_LIMIT_MS, 'ping').catch(
      (thrown: unknown) => {
        throw new BusUnavailableError('ping', thrown);
      },
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer[Symbol.asyncDispose]()));
    if (this.#connected) {
      await withTimeout(systemClock, this.#connection.flush(), FLUSH_LIMIT_MS, 'flush').catch(
        () => undefined,
      );
    }
    await this.#connection.close();
  }

  async #publish(subject: string, value: unknown, messageId: string): Promise<void> {
    if (!this.#connected) throw new BusUnavailableError('publish', undefined);
    const payload = await encodePayload(value);
    if (!fits(this.#connection, payload)) throw new MessageTooLargeError('publish', payload.data.byteLength);
    try {
      await this.#jetStream.publish(subject, payload.data, { msgID: messageId, headers: payload.headers });
    } catch (thrown) {
      throw asBusError('publish', thrown);
    }
  }

  /** Opens the bucket at first use; a failed attempt is retried at the next use. */
  #bucket(open: (jetStream: JetStreamClient) => Promise<KV>): () => Promise<KV> {
    let bucket: Promise<KV> | undefined;
    return () => {
      if (!this.#connected) return Promise.reject(new BusUnavailableError('bucket', undefined));
      bucket ??= open(this.#jetStream).catch((thrown: unknown) => {
        bucket = undefined;
        throw thrown;
      });
      return bucket;
    };
  }

  async #watchConnection(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === Events.Disconnect) {
        this.#connected = false;
        this.#log.warn({}, 'message bus disconnected; reconnecting');
      } else if (status.type === Events.Reconnect) {
        this.#connected = true;
        this.#reconnectedAtMs = systemClock.nowMs();
        this.#log.info({}, 'message bus reconnected');
        // The server may have lost its data: create the streams again.
        await this.ensure().catch((thrown: unknown) => {
          this.#log.error({ err: toError(thrown) }, 'failed to ensure JetStream streams');
        });
      }
    }
    this.#connected = false;
  }
}
