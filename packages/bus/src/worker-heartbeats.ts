import { systemClock, withTimeout } from '@calls/foundation/clock';
import { TimeoutError, toError } from '@calls/foundation/errors';
import { Uuid } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { asBusError, isNoResponders, isTimeout } from './bus-error.ts';
import type { Connection } from './connection.ts';
import { PingThread, THREAD_PING_LIMIT_MS } from './ping-thread.ts';
import { keyOf } from './worker-directory.ts';

const WorkerId = Type.String({ minLength: 1, maxLength: 256 });

/** Sent by each worker with SIP several times a second. Additional fields are allowed: a later release may add some. */
const WorkerHeartbeat = Type.Object({
  workerId: WorkerId,
  /** Whether it takes over SIP calls of other workers. */
  takesCalls: Type.Boolean(),
  /** How soon it answers a ping unless it is frozen. Absent: its main thread answers, which may be busy. */
  pingLimitMs: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type WorkerHeartbeat = Static<typeof WorkerHeartbeat>;

/** A worker that stops has freed the lease of a SIP call for another worker. */
const ReleasedCall = Type.Object({
  workerId: WorkerId,
  callId: Uuid,
  /** The worker that has prepared to continue it. */
  to: Type.Optional(WorkerId),
});
export type ReleasedCall = Static<typeof ReleasedCall>;

const heartbeatValidator = compileValidator('worker heartbeat', WorkerHeartbeat);
const releasedValidator = compileValidator('released call', ReleasedCall);

/** The name that earlier releases use: their workers and those of this release exchange heartbeats during an upgrade. */
const HEARTBEAT_SUBJECT = 'media_workers.pulse';
const RELEASED_SUBJECT = 'media_workers.released';

export interface HeartbeatHandlers {
  onHeartbeat(heartbeat: WorkerHeartbeat): void;
  onReleased(call: ReleasedCall): void;
}

/** Heartbeats of media-workers, far more frequent than updates of the worker directory. Messages may be lost. */
export class WorkerHeartbeats {
  readonly #connection: Connection;
  readonly #url: string;
  #thread: PingThread | null = null;

  /** `url`: of the bus. */
  constructor(connection: Connection, url: string) {
    this.#connection = connection;
    this.#url = url;
  }

  /** Pings to this worker are answered by a thread from now on, until disposed. Does not reject. */
  async startThread(workerId: string): Promise<AsyncDisposable> {
    const { log } = this.#connection;
    const start = { url: this.#url, name: `${workerId} ping`, subject: pingSubject(workerId) };
    const thread = await PingThread.start(start, log).catch((thrown: unknown) => {
      log.error({ err: toError(thrown) }, 'ping thread did not start; the main thread responds to pings');
      return null;
    });
    this.#thread = thread;
    return { [Symbol.asyncDispose]: async () => thread?.[Symbol.asyncDispose]() };
  }

  /** No effect while the bus is unavailable. */
  send(heartbeat: Omit<WorkerHeartbeat, 'pingLimitMs'>): void {
    this.#thread?.beat();
    const pingLimitMs = this.#thread?.isReady ? THREAD_PING_LIMIT_MS : undefined;
    this.#connection.broadcast(HEARTBEAT_SUBJECT, { ...heartbeat, ...(pingLimitMs && { pingLimitMs }) });
  }

  /** No effect while the bus is unavailable. */
  sendReleased(call: ReleasedCall): void {
    this.#connection.broadcast(RELEASED_SUBJECT, call);
  }

  /**
   * Receives the messages of all workers, including this one, and answers as this worker to `isAlive`, until disposed.
   */
  subscribe(workerId: string, handlers: HeartbeatHandlers): Disposable {
    const subscriptions = [
      this.#connection.receive(HEARTBEAT_SUBJECT, heartbeatValidator, (heartbeat) =>
        handlers.onHeartbeat(heartbeat),
      ),
      this.#connection.receive(RELEASED_SUBJECT, releasedValidator, (call) => handlers.onReleased(call)),
      this.#connection.nats.subscribe(pingSubject(workerId), {
        callback: (_, message) => {
          if (!this.#thread?.isReady) message.respond();
        },
      }),
    ];
    return {
      [Symbol.dispose]: () => {
        for (const subscription of subscriptions) subscription.unsubscribe();
      },
    };
  }

  /** False if the worker is disconnected or does not respond in time. Rejects if the bus is unavailable. */
  async isAlive(workerId: string, limitMs: number): Promise<boolean> {
    this.#connection.assertConnected('worker ping');
    try {
      // The client's own timer fires before a response is read that arrived while this process was busy.
      const response = this.#connection.nats.request(pingSubject(workerId), '', {
        timeout: LATEST_RESPONSE_MS,
      });
      await withTimeout(systemClock, response, limitMs, 'worker ping');
      return true;
    } catch (thrown) {
      if (thrown instanceof TimeoutError || isNoResponders(thrown) || isTimeout(thrown)) return false;
      throw asBusError('worker ping', thrown);
    }
  }
}

/** Longer than any limit of a ping, and than any pause of this process. */
const LATEST_RESPONSE_MS = 30_000;

function pingSubject(workerId: string): string {
  return `media_workers.${keyOf(workerId)}.ping`;
}
