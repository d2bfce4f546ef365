import { ADMISSION_CLASSES, type AdmissionClass } from '@calls/api-contract/bus/created-call';
import type { MediumSpec } from '@calls/api-contract/call-spec';
import type { Bus, CreatedCallDelivery } from '@calls/bus/bus';
import type { Holder, Lease, LeaseStore } from '@calls/bus/leases';
import { delay, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { AsyncSignal } from './async-signal.ts';
import type { Slots } from './slots.ts';

/** How long one pull waits for a call. */
const PULL_WAIT_MS = 5000;
const FAULT_PAUSE_MS = 500;
/** A call that another worker leads is offered again after this time, in case that worker is gone by then. */
const LEASE_HELD_RELEASE_MS = 2000;
/** A call whose medium this worker doesn't have: another one may take it meanwhile. */
const NOT_OFFERED_RELEASE_MS = 500;

/** What admission asks of the bus. */
export interface AdmissionBus extends Pick<Bus, 'takeCreatedCall'> {
  readonly leases: Pick<LeaseStore, 'acquire'>;
}

export interface AdmissionOptions {
  bus: AdmissionBus;
  holder: Holder;
  slots: Slots;
  /** Whether calls of this medium can be held here at present. */
  offers: (medium: MediumSpec) => boolean;
  clock: Clock;
  log: Logger;
  /** A call was admitted this long after its creation. */
  onWaited: (admissionClass: AdmissionClass, waitMs: number) => void;
  /** Takes over the call and its slot, which it releases when the call has ended. */
  onAdmitted: (delivery: CreatedCallDelivery, lease: Lease) => Promise<void>;
}

/**
 * Takes created calls as long as there are slots, until stopped. What waits is taken by class, priority first: a class is
 * asked for only once nothing of a higher one waits. From then on a pull waits for the next call of that class, so that one
 * that comes later is taken at once.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #stop = new AbortController();
  readonly #changed = new AsyncSignal();
  /** Nothing of these classes waited when the pull began. */
  readonly #pulls = new Map<AdmissionClass, Promise<void>>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #watch: Disposable;
  readonly #loop: Promise<void>;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#watch = options.slots.onRoom(() => this.#changed.give());
    this.#loop = this.#run();
  }

  /** Takes no more; resolves when nothing is under way. */
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

  /** True where a call was taken: all classes are to be looked at again, from the first. */
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
    const delivery = await this.#pull(admissionClass, PULL_WAIT_MS);
    this.#pulls.delete(admissionClass);
    if (delivery) this.#accept(delivery);
    this.#changed.give();
  }

  /** A fault is a pause in which nothing of this class comes. */
  async #pull(admissionClass: AdmissionClass, waitMs: number): Promise<CreatedCallDelivery | null> {
    const { bus, clock, log } = this.#options;
    const { signal } = this.#stop;
    try {
      return await bus.takeCreatedCall(admissionClass, waitMs, signal);
    } catch (thrown) {
      log.error({ admissionClass, err: toError(thrown) }, 'could not take a call');
      await delay(clock, FAULT_PAUSE_MS, signal).catch(() => undefined);
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
    // What came for a slot that is gone by now goes back for anybody.
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

  /** Nobody may join it any more; the control-plane, which knows whether somebody tried, says how it ended. */
  #drop(delivery: CreatedCallDelivery): void {
    const { callId } = delivery.call.spec;
    this.#options.log.info({ callId }, 'a call waited for a slot until its joinTimeout had passed');
    this.#track(delivery.ack().catch(() => undefined));
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  /** True where the call now holds its slot. Doesn't reject. */
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
        await delivery.ack();
        return false;
      }
      await onAdmitted(delivery, lease);
      // The creator's clock may be ahead of ours.
      onWaited(admissionClass, Math.max(0, clock.wallMs() - spec.createdAtMs));
      return true;
    } catch (thrown) {
      log.error({ callId: spec.callId, err: toError(thrown) }, 'a call could not be admitted, it goes back');
      delivery.release(FAULT_PAUSE_MS);
      return false;
    }
  }
}
