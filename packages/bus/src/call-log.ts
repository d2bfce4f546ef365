import {
  callLogSubject,
  callLogEntryValidator,
  type CallLogEntry,
} from '@calls/api-contract/bus/call-log-entry';
import type { JetStreamClient, JetStreamManager, NatsConnection } from 'nats';
import {
  asBusError,
  CallLogMovedError,
  isNotFound,
  isRevisionConflict,
  MessageTooLargeError,
} from './bus-error.ts';
import { decodePayload, encodePayload, fits } from './payload.ts';
import { EVENTS_STREAM } from './topology.ts';

/** An entry of a call log with its position. */
export interface StoredCallLogEntry {
  event: CallLogEntry;
  /** Position in the stream of all call logs; the next append expects it. */
  position: number;
}

const READ_WAIT_MS = 2000;
/** Far more entries than a call writes in a day. */
const MAX_EVENTS = 50_000;

/** Call logs: one subject per call in a shared stream, appended with compare-and-set. */
export class CallLogs {
  readonly #connection: NatsConnection;
  readonly #jetStream: JetStreamClient;
  #manager: Promise<JetStreamManager> | undefined;

  constructor(connection: NatsConnection, jetStream: JetStreamClient) {
    this.#connection = connection;
    this.#jetStream = jetStream;
  }

  /** See `Bus.appendToCallLog`. */
  async append(event: CallLogEntry, after: number | undefined): Promise<number> {
    const { callId, epoch, seq } = event;
    const payload = await encodePayload(event);
    if (!fits(this.#connection, payload)) throw new MessageTooLargeError('publish', payload.data.byteLength);
    try {
      const ack = await this.#jetStream.publish(callLogSubject(callId), payload.data, {
        msgID: `${callId}:${epoch}:${seq}`,
        headers: payload.headers,
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
    try {
      const manager = await this.#openManager();
      const query = { last_by_subj: callLogSubject(callId) };
      const { data, seq } = await manager.streams.getMessage(EVENTS_STREAM, query);
      return { event: await parseEvent(data), position: seq };
    } catch (thrown) {
      if (isNotFound(thrown)) return null;
      throw asBusError('call log', thrown);
    }
  }

  /** All entries that were in the log when this was called, oldest first. Takes one round trip per entry. */
  async read(callId: string): Promise<StoredCallLogEntry[]> {
    const last = await this.last(callId);
    if (!last) return [];
    try {
      const manager = await this.#openManager();
      const events: StoredCallLogEntry[] = [];
      for (let from = 1; from <= last.position;) {
        const query = { seq: from, next_by_subj: callLogSubject(callId) };
        const { data, seq } = await manager.streams.getMessage(EVENTS_STREAM, query);
        events.push({ event: await parseEvent(data), position: seq });
        if (events.length > MAX_EVENTS) throw new MessageTooLargeError('call log', events.length);
        from = seq + 1;
      }
      return events;
    } catch (thrown) {
      throw asBusError('call log', thrown);
    }
  }

  #openManager(): Promise<JetStreamManager> {
    this.#manager ??= this.#connection
      .jetstreamManager({ timeout: READ_WAIT_MS })
      .catch((thrown: unknown) => {
        this.#manager = undefined;
        throw thrown;
      });
    return this.#manager;
  }
}

async function parseEvent(data: Uint8Array): Promise<CallLogEntry> {
  return callLogEntryValidator.parse(await decodePayload(data));
}
