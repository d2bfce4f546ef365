import type { JobQueue } from '@calls/redis/queues/job-queue';
import type { JobKind } from '@calls/redis/queues/jobs';
import { delay, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { claimDeliveries, type ClaimedDelivery } from '@calls/store/tables/delivery-runs';
import type { Outcome } from './deliver.ts';
import { isFailing, runningLimit } from './delivery-schedule.ts';
import { SEND_TIMEOUT_MS } from './send-delivery.ts';

type ServeKind = Extract<JobKind, 'serve_receiver' | 'serve_failing_receiver'>;

/** After this time, deliveries claimed by a crashed process are available again. */
export const CLAIM_MS = SEND_TIMEOUT_MS + 10_000;
/** After this time the receiver yields to others that wait for a slot. */
const TURN_MS: Record<ServeKind, number> = { serve_receiver: 20_000, serve_failing_receiver: 5000 };
/** Pause before the next delivery to a receiver that has just failed again. */
const FAILING_PAUSE_MS = 500;
/**
 * Tolerance for clock differences between machines: a receiver looked up just before its delivery is due
 * would wait for the next sweep.
 */
const SLACK_MS = 25;
/** Retries that fall due within one step are handled together. */
const RETRY_STEP_MS = 100;
/** How long a receiver keeps its slot while it waits for more deliveries: a few times the latency of the outbox. */
const LINGER_MS = 300;
const MAX_KNOWN = 10_000;

interface Receiver {
  isServed: boolean;
  failuresInARow: number;
  failedAtMs: number;
  /** Number of notifications that there may be more deliveries. */
  rings: number;
  bell: PromiseWithResolvers<null>;
}

/**
 * Sends each receiver its due deliveries, a few at a time and independently of other receivers. The database
 * says what is due; jobs say where to look, and the sweep replaces lost jobs. A receiver that fails
 * repeatedly yields its slot and gets one delivery at a time from a separate queue.
 */
export class Receivers implements AsyncDisposable {
  readonly #db: Database;
  readonly #queue: Pick<JobQueue, 'add'>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #deliver: (delivery: ClaimedDelivery) => Promise<Outcome>;
  readonly #receivers = new Map<string, Receiver>();
  readonly #fewServed: number;
  #served = 0;
  #isStopping = false;

  constructor(deps: {
    db: Database;
    queue: Pick<JobQueue, 'add'>;
    clock: Clock;
    log: Logger;
    deliver: (delivery: ClaimedDelivery) => Promise<Outcome>;
    /**
     * Maximum number of receivers that are served at the same time. While fewer than half of the slots are used, no
     * receiver has to yield its slot.
     */
    slots: number;
  }) {
    this.#fewServed = deps.slots / 2;
    this.#db = deps.db;
    this.#queue = deps.queue;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#deliver = deps.deliver;
  }

  /** Reports that there may be more deliveries. Returns false if this process does not serve the receiver. */
  ring(receiverId: string): boolean {
    const receiver = this.#receivers.get(receiverId);
    if (receiver?.isServed !== true) return false;
    receiver.rings += 1;
    receiver.bell.resolve(null);
    return true;
  }

  /** Resolves when nothing is due, the turn is over, or this process already serves the receiver. */
  async serve(kind: ServeKind, receiverId: string, jobId: string): Promise<void> {
    if (this.ring(receiverId)) return;
    const receiver = this.#known(receiverId);
    if (kind === 'serve_receiver' && isFailing(receiver.failuresInARow)) {
      await this.#checkAgain(receiverId, receiver, jobId);
      return;
    }
    receiver.isServed = true;
    this.#served += 1;
    try {
      const isMore = await this.#takeTurn(kind, receiverId, receiver);
      if (isMore) await this.#checkAgain(receiverId, receiver, jobId);
    } finally {
      receiver.isServed = false;
      this.#served -= 1;
      if (receiver.failuresInARow === 0) this.#receivers.delete(receiverId);
    }
  }

  /** Stops taking deliveries; running attempts finish on their own. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    return Promise.resolve();
  }

  /** Returns false if nothing more is due now. */
  async #takeTurn(kind: ServeKind, receiverId: string, receiver: Receiver): Promise<boolean> {
    const untilMs = this.#clock.nowMs() + TURN_MS[kind];
    const running = new Set<Promise<void>>();
    // The number of rings when everything due was found. It is valid until the next ring, or until a finished delivery
    // unblocks another.
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
        const held = await claimDeliveries(this.#db, receiverId, { limit, claimMs: CLAIM_MS });
        if (held.length < limit) foundAllAt = rings;
        for (const delivery of held) {
          const run = this.#attempt(receiverId, receiver, delivery).finally(() => running.delete(run));
          running.add(run);
        }
      }
      if (running.size > 0) await Promise.race([...running, receiver.bell.promise]);
      else if (!isItsTurn) return true;
      else if (receiver.rings === foundAllAt && !(await this.#isRungSoon(receiver))) {
        // This must be set immediately, because a ring from now on must queue the receiver.
        receiver.isServed = false;
        return false;
      }
    }
  }

  /** More deliveries often follow soon for a busy receiver, so it keeps its slot while enough slots are free. */
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

  async #attempt(receiverId: string, receiver: Receiver, delivery: ClaimedDelivery): Promise<void> {
    try {
      const { isAcknowledged, nextTryInMs, isFollowed } = await this.#deliver(delivery);
      if (isAcknowledged === true) receiver.failuresInARow = 0;
      if (isAcknowledged === false) {
        receiver.failuresInARow += 1;
        receiver.failedAtMs = this.#clock.nowMs();
      }
      if (isFollowed) this.ring(receiverId);
      if (nextTryInMs !== null) await this.#checkIn(receiverId, nextTryInMs);
    } catch (thrown) {
      const fields = { deliveryId: delivery.delivery_id, err: toError(thrown) };
      this.#log.warn(fields, 'failed to record delivery result; will redeliver');
    }
  }

  async #pause({ failedAtMs }: Receiver): Promise<void> {
    const pauseMs = failedAtMs + FAILING_PAUSE_MS - this.#clock.nowMs();
    if (pauseMs > 0) await delay(this.#clock, pauseMs);
  }

  /** Schedules a check for when the next attempt of a delivery is due. */
  async #checkIn(receiverId: string, delayMs: number): Promise<void> {
    const step = Math.ceil((this.#clock.wallMs() + delayMs + SLACK_MS) / RETRY_STEP_MS);
    const inMs = step * RETRY_STEP_MS - this.#clock.wallMs();
    await this.#add(`retry_${receiverId}_${step}`, 'serve_receiver', receiverId, inMs);
  }

  /** Schedules the receiver's next turn, at most once. */
  async #checkAgain(receiverId: string, { failuresInARow }: Receiver, jobId: string): Promise<void> {
    const kind = isFailing(failuresInARow) ? 'serve_failing_receiver' : 'serve_receiver';
    const id = `next_${receiverId}`;
    // The queue still holds the running job under its id.
    await this.#add(id === jobId ? `${id}_` : id, kind, receiverId);
  }

  async #add(id: string, kind: ServeKind, receiverId: string, delayMs = 0): Promise<void> {
    try {
      await this.#queue.add(id, { kind, receiverId }, delayMs);
    } catch (thrown) {
      this.#log.debug(
        { receiverId, err: toError(thrown) },
        'failed to requeue receiver; the sweep will find it',
      );
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
