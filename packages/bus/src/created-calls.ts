import {
  ADMISSION_CLASSES,
  createdCallSubject,
  createdCallValidator,
  type AdmissionClass,
  type CreatedCall,
} from '@calls/api-contract/bus/created-call';
import { delay, systemClock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { nanos } from 'nats';
import { asBusError } from './bus-error.ts';
import type { CallChanges } from './call-changes.ts';
import type { Connection } from './connection.ts';
import { decodePayload, encodeWithinLimit } from './payload.ts';
import { deliveryOf } from './delivery.ts';
import { pullOne, type PullResult } from './pull-one.ts';
import { retryLeaderless } from './retry-leaderless.ts';
import { checkStream } from './stream-health.ts';
import { CREATED_STREAM, createdConsumerName } from './topology.ts';

/** A created call taken from the work queue. It is redelivered after 2 s unless it is acknowledged or released. */
export interface CreatedCallDelivery {
  readonly call: CreatedCall;
  /** Calls of its class that waited behind it. */
  readonly waitingBehind: number;
  /** Removes the call from the queue. If the server does not receive it, the call is redelivered. */
  ack(): void;
  /** Returns the call to the queue after `delayMs`. */
  release(delayMs: number): void;
}

const READY_FOR_MS = 500;
const READY_LIMIT_MS = 4000;
/** Time limit of one request. */
const CHECK_LIMIT_MS = 1000;
/** Pause between pulls while the bus is unavailable or the queue has no leader. */
const PULL_RETRY_MS = 500;

/** Created calls that wait for a media-worker: a work queue for each admission class. */
export class CreatedCallQueue {
  readonly #connection: Connection;
  readonly #changes: CallChanges;
  #readyUntilMs = -Infinity;
  #checking: Promise<boolean> | null = null;

  constructor(connection: Connection, changes: CallChanges) {
    this.#connection = connection;
    this.#changes = changes;
  }

  /**
   * Whether the queue accepts calls. Waits up to READY_LIMIT_MS for the election of a leader. The answer may be
   * READY_FOR_MS old, unless publishing has failed since.
   */
  async isReady(): Promise<boolean> {
    if (!this.#connection.connected) return false;
    if (systemClock.nowMs() < this.#readyUntilMs) return true;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /** Resolves when stored, and reports the change. The same `dedupId` within two minutes is stored once. */
  async publish(call: CreatedCall, dedupId: string): Promise<void> {
    const { nats, jetStream } = this.#connection;
    this.#connection.assertConnected('publish');
    const { data, headers } = await encodeWithinLimit(nats, 'publish', call);
    try {
      await jetStream.publish(createdCallSubject(call.admissionClass), data, { msgID: dedupId, headers });
      this.#readyUntilMs = systemClock.nowMs() + READY_FOR_MS;
      const { accountId, callId } = call.spec;
      this.#changes.publish({ accountId, callId, state: 'created' });
    } catch (thrown) {
      this.#readyUntilMs = -Infinity;
      throw asBusError('publish', thrown);
    }
  }

  /**
   * Takes the oldest waiting call of the class. Null if none arrives within `waitMs` (0: checks once), if the bus is
   * unavailable, or on abort unless a delivery was already under way. Malformed calls are removed and logged.
   */
  async take(
    admissionClass: AdmissionClass,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<CreatedCallDelivery | null> {
    const untilMs = systemClock.nowMs() + waitMs;
    for (;;) {
      const leftMs = Math.max(0, Math.round(untilMs - systemClock.nowMs()));
      const result = await this.#pull(admissionClass, leftMs, signal);
      if (result.kind === 'empty') return null;
      if (result.kind === 'unavailable') {
        const pauseMs = Math.min(PULL_RETRY_MS, untilMs - systemClock.nowMs());
        if (pauseMs > 0) await delay(systemClock, pauseMs, signal).catch(() => undefined);
        if (pauseMs <= 0 || signal.aborted) return null;
        continue;
      }
      const { message } = result;
      try {
        const call = createdCallValidator.parse(await decodePayload(message.data));
        return {
          call,
          waitingBehind: deliveryOf(message).pending,
          ack: () => void message.respond('+ACK'),
          release: (delayMs) =>
            void message.respond(`-NAK ${JSON.stringify({ delay: nanos(Math.round(delayMs)) })}`),
        };
      } catch (thrown) {
        const { subject } = message;
        this.#connection.log.error({ subject, err: toError(thrown) }, 'dropped malformed created call');
        // Prevents redelivery.
        message.respond('+TERM');
      }
    }
  }

  /** How many calls of each class wait for a worker now. */
  async waiting(): Promise<Record<AdmissionClass, number>> {
    this.#connection.assertConnected('backlog');
    try {
      const { consumers } = await this.#connection.manager();
      const waiting = async (name: AdmissionClass): Promise<[AdmissionClass, number]> => {
        const { num_pending } = await consumers.info(CREATED_STREAM, createdConsumerName(name));
        return [name, num_pending];
      };
      const counts = await Promise.all(ADMISSION_CLASSES.map(waiting));
      return Object.fromEntries(counts) as Record<AdmissionClass, number>;
    } catch (thrown) {
      throw asBusError('backlog', thrown);
    }
  }

  async #check(): Promise<boolean> {
    try {
      await retryLeaderless(
        () => checkStream(this.#connection, CREATED_STREAM, CHECK_LIMIT_MS),
        READY_LIMIT_MS - CHECK_LIMIT_MS,
      );
      this.#readyUntilMs = systemClock.nowMs() + READY_FOR_MS;
      return true;
    } catch (thrown) {
      this.#connection.log.warn(
        { err: toError(thrown) },
        'JetStream stream of created calls is not available',
      );
      return false;
    }
  }

  async #pull(admissionClass: AdmissionClass, waitMs: number, signal: AbortSignal): Promise<PullResult> {
    if (!this.#connection.connected) return { kind: 'unavailable' };
    const target = { stream: CREATED_STREAM, consumer: createdConsumerName(admissionClass), waitMs };
    return pullOne(this.#connection.nats, target, signal).catch(() => ({ kind: 'unavailable' }));
  }
}
