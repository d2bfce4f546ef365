import type { JobQueue } from '@calls/redis/queues/job-queue';
import type { JobKind } from '@calls/redis/queues/jobs';
import { delay, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { holdDeliveries, type HeldDelivery } from '@calls/store/tables/delivery-runs';
import type { Outcome } from './deliver.ts';
import { isFailing, runningLimit } from './delivery-schedule.ts';
import { SEND_TIMEOUT_MS } from './send-delivery.ts';

type ServeKind = Extract<JobKind, 'serve_receiver' | 'serve_failing_receiver'>;

/** Of a process that was killed the deliveries are free again then. */
export const HOLD_MS = SEND_TIMEOUT_MS + 10_000;
/** After that it is the turn of others that wait for a place. */
const TURN_MS: Record<ServeKind, number> = { serve_receiver: 20_000, serve_failing_receiver: 5000 };
/** Before a receiver that has just failed again is told the next. */
const FAILING_PAUSE_MS = 500;
/** Clocks of several machines: what is looked at a moment before it is due would wait for the next sweep. */
const SLACK_MS = 25;
/** Tries that fail together are looked after together. */
const RETRY_STEP_MS = 100;
/** A few times what the outbox takes. */
const LINGER_MS = 300;
const MAX_KNOWN = 10_000;

interface Receiver {
  isServed: boolean;
  failuresInARow: number;
  failedAtMs: number;
  /** How often it was said that there may be more to tell. */
  rings: number;
  bell: PromiseWithResolvers<null>;
}

/**
 * Tells each receiver what it is to be told, a few at a time, whatever the others do. The database says what there is to
 * tell; jobs say where to look, any number of them, and a lost one is made up for by the sweep. A receiver that has
 * failed again and again gives its place to others and is told one thing at a time in a queue of such receivers.
 */
export class Receivers implements AsyncDisposable {
  readonly #db: Database;
  readonly #queue: Pick<JobQueue, 'add'>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #deliver: (delivery: HeldDelivery) => Promise<Outcome>;
  readonly #receivers = new Map<string, Receiver>();
  readonly #fewServed: number;
  #served = 0;
  #isStopping = false;

  constructor(deps: {
    db: Database;
    queue: Pick<JobQueue, 'add'>;
    clock: Clock;
    log: Logger;
    deliver: (delivery: HeldDelivery) => Promise<Outcome>;
    /** Receivers that are served at a time; while fewer than half of that many are, places needn't be given up. */
    places: number;
  }) {
    this.#fewServed = deps.places / 2;
    this.#db = deps.db;
    this.#queue = deps.queue;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#deliver = deps.deliver;
  }

  /** Says that there may be more to tell it. False where nobody in this process is at it. */
  ring(receiverId: string): boolean {
    const receiver = this.#receivers.get(receiverId);
    if (receiver?.isServed !== true) return false;
    receiver.rings += 1;
    receiver.bell.resolve(null);
    return true;
  }

  /** Resolves when there is nothing to tell it by now, or its turn is over, or somebody in this process is at it. */
  async serve(kind: ServeKind, receiverId: string, jobId: string): Promise<void> {
    if (this.ring(receiverId)) return;
    const receiver = this.#known(receiverId);
    if (kind === 'serve_receiver' && isFailing(receiver.failuresInARow)) {
      await this.#lookAgain(receiverId, receiver, jobId);
      return;
    }
    receiver.isServed = true;
    this.#served += 1;
    try {
      const isMore = await this.#takeTurn(kind, receiverId, receiver);
      if (isMore) await this.#lookAgain(receiverId, receiver, jobId);
    } finally {
      receiver.isServed = false;
      this.#served -= 1;
      if (receiver.failuresInARow === 0) this.#receivers.delete(receiverId);
    }
  }

  /** Takes nothing any more; what is under way ends by itself. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    return Promise.resolve();
  }

  /** False where there is nothing more to tell by now. */
  async #takeTurn(kind: ServeKind, receiverId: string, receiver: Receiver): Promise<boolean> {
    const untilMs = this.#clock.nowMs() + TURN_MS[kind];
    const running = new Set<Promise<void>>();
    // When all was found that there is: until it rings, or something that is over lets another follow.
    let foundAllAt = -1;
    for (;;) {
      const isItsTurn =
        !this.#isStopping &&
        this.#clock.nowMs() < untilMs &&
        (kind === 'serve_failing_receiver' || !isFailing(receiver.failuresInARow));
      if (isItsTurn && isFailing(receiver.failuresInARow)) await this.#pause(receiver);
      const { rings } = receiver;
      receiver.bell = Promise.withResolvers<null>();
      const limit = runningLimit(receiver.failuresInARow) - running.size;
      if (isItsTurn && rings !== foundAllAt && limit > 0) {
        const held = await holdDeliveries(this.#db, receiverId, { limit, holdMs: HOLD_MS });
        if (held.length < limit) foundAllAt = rings;
        for (const delivery of held) {
          const run = this.#tell(receiverId, receiver, delivery).finally(() => running.delete(run));
          running.add(run);
        }
      }
      if (running.size > 0) await Promise.race([...running, receiver.bell.promise]);
      else if (!isItsTurn) return true;
      else if (receiver.rings === foundAllAt && !(await this.#isRungSoon(receiver))) {
        // At once: who says from now on that there is more has it looked for.
        receiver.isServed = false;
        return false;
      }
    }
  }

  /** Of a receiver that is told much more is likely to come at once: it keeps its place while there are enough. */
  async #isRungSoon(receiver: Receiver): Promise<boolean> {
    if (this.#served > this.#fewServed) return false;
    const soon = new AbortController();
    const rung = receiver.bell.promise.then(() => true);
    const over = delay(this.#clock, LINGER_MS, soon.signal).then(
      () => false,
      () => true,
    );
    const isRung = await Promise.race([rung, over]);
    soon.abort();
    return isRung;
  }

  async #tell(receiverId: string, receiver: Receiver, delivery: HeldDelivery): Promise<void> {
    try {
      const { isAcknowledged, nextTryInMs, isFollowed } = await this.#deliver(delivery);
      if (isAcknowledged === true) receiver.failuresInARow = 0;
      if (isAcknowledged === false) {
        receiver.failuresInARow += 1;
        receiver.failedAtMs = this.#clock.nowMs();
      }
      if (isFollowed) this.ring(receiverId);
      if (nextTryInMs !== null) await this.#lookIn(receiverId, nextTryInMs);
    } catch (thrown) {
      const fields = { deliveryId: delivery.delivery_id, err: toError(thrown) };
      this.#log.warn(fields, 'what came of a delivery could not be written, it will be tried again');
    }
  }

  async #pause({ failedAtMs }: Receiver): Promise<void> {
    const pauseMs = failedAtMs + FAILING_PAUSE_MS - this.#clock.nowMs();
    if (pauseMs > 0) await delay(this.#clock, pauseMs);
  }

  /** When the next try of a delivery is due. */
  async #lookIn(receiverId: string, delayMs: number): Promise<void> {
    const step = Math.ceil((this.#clock.wallMs() + delayMs + SLACK_MS) / RETRY_STEP_MS);
    const inMs = step * RETRY_STEP_MS - this.#clock.wallMs();
    await this.#add(`retry_${receiverId}_${step}`, 'serve_receiver', receiverId, inMs);
  }

  /** When it is its turn again; once, however often that is asked for. */
  async #lookAgain(receiverId: string, { failuresInARow }: Receiver, jobId: string): Promise<void> {
    const kind = isFailing(failuresInARow) ? 'serve_failing_receiver' : 'serve_receiver';
    const id = `next_${receiverId}`;
    // The job that runs is still known by its id.
    await this.#add(id === jobId ? `${id}_` : id, kind, receiverId);
  }

  async #add(id: string, kind: ServeKind, receiverId: string, delayMs = 0): Promise<void> {
    try {
      await this.#queue.add(id, { kind, receiverId }, delayMs);
    } catch (thrown) {
      this.#log.debug({ receiverId, err: toError(thrown) }, 'receiver is left to the sweep');
    }
  }

  #known(receiverId: string): Receiver {
    const known = this.#receivers.get(receiverId);
    if (known) return known;
    const receiver: Receiver = {
      isServed: false,
      failuresInARow: 0,
      failedAtMs: 0,
      rings: 0,
      bell: Promise.withResolvers<null>(),
    };
    this.#receivers.set(receiverId, receiver);
    if (this.#receivers.size > MAX_KNOWN) this.#forgetOne();
    return receiver;
  }

  #forgetOne(): void {
    for (const [receiverId, { isServed }] of this.#receivers) {
      if (isServed) continue;
      this.#receivers.delete(receiverId);
      return;
    }
  }
}
