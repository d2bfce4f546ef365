import { ADMISSION_CLASSES, type AdmissionClass } from '@calls/api-contract';
import type { Bus, CreatedCallDelivery, Holder, Lease, LeaseStore } from '@calls/bus';
import { delay, toError, type Clock, type Logger } from '@calls/foundation';
import type { Slots } from './slots.ts';

/** How long one pull waits for a call. */
const PULL_WAIT_MS = 5000;
const FAULT_PAUSE_MS = 500;
/** A call that another worker leads is offered again after this time, in case that worker is gone by then. */
const LEASE_HELD_RELEASE_MS = 2000;

/** What admission asks of the bus. */
export interface AdmissionBus extends Pick<Bus, 'takeCreatedCall'> {
  readonly leases: Pick<LeaseStore, 'acquire'>;
}

export interface AdmissionOptions {
  bus: AdmissionBus;
  holder: Holder;
  slots: Slots;
  clock: Clock;
  log: Logger;
  /** Takes over the call and its slot, which it releases when the call has ended. */
  onAdmitted: (delivery: CreatedCallDelivery, lease: Lease) => Promise<void>;
}

/** Pulls created calls as long as there are slots, each class on its own, until stopped. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #stop = new AbortController();
  readonly #loops: Promise<void>[];

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#loops = ADMISSION_CLASSES.map((admissionClass) => this.#pull(admissionClass));
  }

  /** Pulls no more; resolves when no pull is under way. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('admission stopped'));
    await Promise.all(this.#loops);
  }

  async #pull(admissionClass: AdmissionClass): Promise<void> {
    const { signal } = this.#stop;
    const { slots, log, clock } = this.#options;
    while (!signal.aborted) {
      if (!slots.hasRoom(admissionClass)) {
        await slots.released(signal);
        continue;
      }
      try {
        await this.#takeOne(admissionClass);
      } catch (thrown) {
        log.error({ admissionClass, err: toError(thrown) }, 'could not take a call');
        await delay(clock, FAULT_PAUSE_MS, signal).catch(() => undefined);
      }
    }
  }

  async #takeOne(admissionClass: AdmissionClass): Promise<void> {
    const { bus, slots } = this.#options;
    const delivery = await bus.takeCreatedCall(admissionClass, PULL_WAIT_MS, this.#stop.signal);
    if (!delivery) return;
    // Another class may have taken the last slot since: the call goes back for anybody.
    if (!slots.tryReserve(admissionClass)) {
      delivery.release(0);
      return;
    }
    let admitted = false;
    try {
      admitted = await this.#admit(delivery);
    } finally {
      if (!admitted) slots.release();
    }
  }

  /** True where the call now holds its slot. */
  async #admit(delivery: CreatedCallDelivery): Promise<boolean> {
    const { bus, holder, onAdmitted } = this.#options;
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
    return true;
  }
}
