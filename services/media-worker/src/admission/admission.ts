import { ADMISSION_CLASSES, type AdmissionClass } from '@calls/api-contract/bus/created-call';
import type { MediumSpec } from '@calls/api-contract/call-spec';
import type { CreatedCallDelivery, CreatedCallQueue } from '@calls/bus/created-calls';
import type { Holder, Lease, LeaseStore } from '@calls/bus/leases';
import { delay, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';
import type { WorkerLoad } from './overload-watch.ts';
import { PRESSURE_LEVELS } from './processor-pressure.ts';
import type { Slots } from './slots.ts';

/** How long one pull waits for a call. */
const PULL_WAIT_MS = 5000;
const ERROR_PAUSE_MS = 500;
/** A call that another worker holds is redelivered after this time, in case that worker has stopped by then. */
const LEASE_HELD_RELEASE_MS = 2000;
/** Redelivery delay of a call whose medium this worker does not support, so that another worker can take it. */
const NOT_OFFERED_RELEASE_MS = 500;

/** The part of the bus that admission uses. */
export interface AdmissionBus {
  readonly createdCalls: Pick<CreatedCallQueue, 'take'>;
  readonly leases: Pick<LeaseStore, 'acquire'>;
}

export interface AdmissionOptions {
  bus: AdmissionBus;
  holder: Holder;
  slots: Slots;
  /** Whether this worker can hold calls of this medium now. */
  offers: (medium: MediumSpec) => boolean;
  clock: Clock;
  log: Logger;
  /** Called with the time from a call's creation to its admission. */
  onWaited: (admissionClass: AdmissionClass, waitMs: number) => void;
  /** Takes over the call and its slot, which it releases when the call has ended. */
  onAdmitted: (delivery: CreatedCallDelivery, lease: Lease) => Promise<void>;
}

/**
 * Takes created calls while there are free slots, until stopped. Higher classes come first: a class is requested only
 * when no call of a higher one waits. The pull then waits for the next call of that class, so that a later call is
 * taken immediately.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #stop = new AbortController();
  readonly #changed = new AsyncSignal();
  /** Pulls of classes without waiting calls. */
  readonly #pulls = new Map<AdmissionClass, Promise<void>>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #watch: Disposable;
  readonly #loop: Promise<void>;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#watch = options.slots.onRoom(() => this.#changed.give());
    this.#loop = this.#run();
  }

  /** Stops taking calls. Resolves when nothing is in progress. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('admission stopped'));
    this.#watch[Symbol.dispose]();
    this.#changed.give();
    await this.#loop;
    await Promise.all([...this.#pulls.values()]);
    await Promise.all([...this.#underWay]);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (!(await this.#takeWaiting())) await this.#changed.wait();
    }
  }

  /** Returns true if a call was taken. The caller then checks all classes again, from the highest. */
  async #takeWaiting(): Promise<boolean> {
    for (const admissionClass of ADMISSION_CLASSES) {
      if (this.#pulls.has(admissionClass) || !this.#options.slots.hasRoom(admissionClass)) continue;
      const delivery = await this.#pull(admissionClass, 0);
      if (delivery) {
        this.#accept(delivery);
        return true;
      }
      if (this.#stop.signal.aborted) return false;
      this.#pulls.set(admissionClass, this.#awaitNext(admissionClass));
    }
    return false;
  }

  async #awaitNext(admissionClass: AdmissionClass): Promise<void> {
    let delivery = await this.#pull(admissionClass, PULL_WAIT_MS);
    while (delivery) {
      this.#accept(delivery);
      if (delivery.waitingBehind > 0 || !this.#mayAwait(admissionClass)) break;
      delivery = await this.#pull(admissionClass, PULL_WAIT_MS);
    }
    this.#pulls.delete(admissionClass);
    this.#changed.give();
  }

  /** Whether to wait for a call of this class: a slot is free, and no call waits in a higher class. */
  #mayAwait(admissionClass: AdmissionClass): boolean {
    if (this.#stop.signal.aborted || !this.#options.slots.hasRoom(admissionClass)) return false;
    const higher = ADMISSION_CLASSES.slice(0, ADMISSION_CLASSES.indexOf(admissionClass));
    return higher.every((each) => this.#pulls.has(each));
  }

  /** After an error, waits before this class is requested again. */
  async #pull(admissionClass: AdmissionClass, waitMs: number): Promise<CreatedCallDelivery | null> {
    const { bus, clock, log } = this.#options;
    const { signal } = this.#stop;
    try {
      return await bus.createdCalls.take(admissionClass, waitMs, signal);
    } catch (thrown) {
      log.error({ admissionClass, err: toError(thrown) }, 'failed to take call from the queue');
      await delay(clock, ERROR_PAUSE_MS, signal).catch(() => undefined);
      return null;
    }
  }

  #accept(delivery: CreatedCallDelivery): void {
    const { slots, offers, clock } = this.#options;
    const { createdAtMs, joinTimeoutMs, medium } = delivery.call.spec;
    if (clock.wallMs() >= createdAtMs + joinTimeoutMs) {
      this.#drop(delivery);
      return;
    }
    if (!offers(medium)) {
      delivery.release(NOT_OFFERED_RELEASE_MS);
      return;
    }
    // The slot is no longer free: return the call to the queue.
    if (this.#stop.signal.aborted || !slots.tryReserve(delivery.call.admissionClass)) {
      delivery.release(0);
      return;
    }
    this.#track(
      this.#admit(delivery).then((isAdmitted) => {
        if (!isAdmitted) slots.release();
      }),
    );
  }

  /** The call can no longer be joined. The control-plane determines the end reason. */
  #drop(delivery: CreatedCallDelivery): void {
    const { callId } = delivery.call.spec;
    this.#options.log.info({ callId }, 'call expired before a slot was free');
    delivery.ack();
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  /** Returns true if the call now holds its slot. Never rejects. */
  async #admit(delivery: CreatedCallDelivery): Promise<boolean> {
    const { bus, holder, clock, log, onWaited, onAdmitted } = this.#options;
    const { admissionClass, spec } = delivery.call;
    try {
      const lease = await bus.leases.acquire(delivery.call, holder);
      if (lease === 'held') {
        delivery.release(LEASE_HELD_RELEASE_MS);
        return false;
      }
      if (lease === 'over') {
        delivery.ack();
        return false;
      }
      await onAdmitted(delivery, lease);
      // The clock of the creating host may be ahead.
      onWaited(admissionClass, Math.max(0, clock.wallMs() - spec.createdAtMs));
      return true;
    } catch (thrown) {
      log.error({ callId: spec.callId, err: toError(thrown) }, 'failed to admit call; returned to the queue');
      delivery.release(ERROR_PAUSE_MS);
      return false;
    }
  }
}

/** Wakes a loop that checks its condition again whenever something may have changed. */
export class AsyncSignal {
  #pending = false;
  #wake: (() => void) | undefined;

  /** Several signals before the next `wait` count as one. */
  give(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Resolves immediately if a signal was given since the last `wait` resolved, otherwise with the next signal. */
  async wait(): Promise<void> {
    if (!this.#pending) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#pending = false;
    this.#wake = undefined;
  }
}

/** Registers admission metrics; the returned function records how long a call waited for its admission. */
export function countAdmissions(
  metrics: Metrics,
  slots: Slots,
  load: WorkerLoad,
): (admissionClass: AdmissionClass, waitMs: number) => void {
  metrics.gauge({
    name: 'admission_paused',
    help: '1 while the worker is overloaded and admits priority calls only',
    collect: () => Number(slots.isPaused),
  });
  metrics.gauge({
    name: 'processor_lost_ratio',
    help: 'Share of the needed processor time that the worker does not get, because it is stolen, throttled, or used by other programs',
    collect: () => load.pressure.lostShare,
  });
  metrics.gauge({
    name: 'shedding_level',
    help: 'Load shedding: 0 none, 1 reduced capacity, 2 also no speculation, 3 also no storage writes and no new calls',
    collect: () => PRESSURE_LEVELS.indexOf(load.pressure.level),
  });
  const waits = metrics.histogram({
    name: 'admission_wait_ms',
    help: 'Time from the creation of a call to its admission',
    labels: ['class'],
    buckets: [...LATENCY_BUCKETS_MS, 30_000, 60_000],
  });
  return (admissionClass, waitMs) => waits.observe({ class: admissionClass }, waitMs);
}
