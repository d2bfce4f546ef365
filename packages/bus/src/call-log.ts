import {
  callLogSubject,
  callLogEntryValidator,
  type CallLogEntry,
} from '@calls/api-contract/bus/call-log-entry';
import { asBusError, CallLogMovedError, isNotFound, isRevisionConflict } from './bus-error.ts';
import { CallLogConsumer, type ConsumeOptions } from './call-log-consumer.ts';
import type { Connection } from './connection.ts';
import { decodePayload, encodeWithinLimit } from './payload.ts';
import { readSubject } from './read-subject.ts';
import { retryLeaderless } from './retry-leaderless.ts';
import { ensureConsumer, EVENTS_STREAM, eventsConsumer } from './topology.ts';

/** An entry of a call log with its position. */
export interface StoredCallLogEntry {
  event: CallLogEntry;
  /** Position in the stream of all call logs; the next append expects it. */
  position: number;
}

const READ_WAIT_MS = 2000;
/** Long, because a failover reads many logs at the same time on a machine that may be busy. */
const READ_LOG_WAIT_MS = 5000;
/** A day-long call with a turn every 5 s writes fewer entries. */
export const MAX_LOG_ENTRIES = 100_000;

/** Call logs: one subject per call in a shared stream, appended with compare-and-set. */
export class CallLogs implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #consumers = new Set<CallLogConsumer>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Appends an entry to the call log; resolves with its position when it is stored. `after`: the expected position of the last
   * entry (0: empty log); rejects with a CallLogMovedError if it differs. Without `after` the append is unconditional.
   * Entries with the same (callId, epoch, seq) within two minutes are stored once.
   */
  async append(event: CallLogEntry, after?: number): Promise<number> {
    const { callId, epoch, seq } = event;
    const { nats, jetStream } = this.#connection;
    this.#connection.assertConnected('publish');
    const { data, headers } = await encodeWithinLimit(nats, 'publish', event);
    try {
      const ack = await jetStream.publish(callLogSubject(callId), data, {
        msgID: `${callId}:${epoch}:${seq}`,
        headers,
        ...(after !== undefined && { expect: { lastSubjectSequence: after } }),
      });
      return ack.seq;
    } catch (thrown) {
      if (isRevisionConflict(thrown)) throw new CallLogMovedError(callId);
      throw asBusError('publish', thrown);
    }
  }

  /** The newest entry, or null if the log is empty. */
  async last(callId: string): Promise<StoredCallLogEntry | null> {
    this.#connection.assertConnected('call log');
    try {
      const { streams } = await this.#connection.manager(READ_WAIT_MS);
      const query = { last_by_subj: callLogSubject(callId) };
      const { data, seq } = await streams.getMessage(EVENTS_STREAM, query);
      return { event: await parseEvent(data), position: seq };
    } catch (thrown) {
      if (isNotFound(thrown)) return null;
      throw asBusError('call log', thrown);
    }
  }

  /** All entries that were in the log when this was called, oldest first. `after`: only those behind this position. */
  async read(callId: string, after = 0): Promise<StoredCallLogEntry[]> {
    this.#connection.assertConnected('call log');
    try {
      const messages = await retryLeaderless(() =>
        readSubject(this.#connection.nats, {
          stream: EVENTS_STREAM,
          subject: callLogSubject(callId),
          after,
          waitMs: READ_LOG_WAIT_MS,
          maxMessages: MAX_LOG_ENTRIES,
        }),
      );
      return await Promise.all(
        messages.map(async ({ data, seq }) => ({ event: await parseEvent(data), position: seq })),
      );
    } catch (thrown) {
      throw asBusError('call log', thrown);
    }
  }

  /**
   * Delivers every stored entry to `handle` at least once, load-balanced over all consumers with the same `durable` name.
   * An entry is acknowledged after `handle` resolves. If it throws, the entry is retried with growing delays while later
   * entries of that call wait; after some attempts the server redelivers it. Disposal waits for running handlers, which
   * run in the trace that the entry was published in.
   */
  consume(
    durable: string,
    handle: (event: CallLogEntry) => Promise<void>,
    options: ConsumeOptions,
  ): AsyncDisposable {
    const open = async () => {
      const manager = await this.#connection.manager();
      await ensureConsumer(manager, EVENTS_STREAM, eventsConsumer(durable, options.maxInFlight));
      return this.#connection.jetStream.consumers.get(EVENTS_STREAM, durable);
    };
    const consumer = new CallLogConsumer({ open, handle, options, log: this.#connection.log });
    this.#consumers.add(consumer);
    return {
      [Symbol.asyncDispose]: async () => {
        this.#consumers.delete(consumer);
        await consumer[Symbol.asyncDispose]();
      },
    };
  }

  /** How many stored entries the consumers with that name have not handled; all of them before the first consumer. */
  async unhandled(durable: string): Promise<number> {
    this.#connection.assertConnected('backlog');
    try {
      const { consumers, streams } = await this.#connection.manager();
      const info = await consumers.info(EVENTS_STREAM, durable).catch((thrown: unknown) => {
        if (!isNotFound(thrown)) throw thrown;
      });
      if (!info) return (await streams.info(EVENTS_STREAM)).state.messages;
      return info.num_pending + info.num_ack_pending;
    } catch (thrown) {
      throw asBusError('backlog', thrown);
    }
  }

  /** Stops all consumers. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer[Symbol.asyncDispose]()));
  }
}

async function parseEvent(data: Uint8Array): Promise<CallLogEntry> {
  return callLogEntryValidator.parse(await decodePayload(data));
}
