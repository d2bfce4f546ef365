import type { PersonLegState, SipCallState, StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import type { Seal } from '@calls/bus/call-seal';
import type { Lease } from '@calls/bus/leases';
import type { StoredDialogs } from '@calls/bus/stored-dialogs';
import { delay, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';

export interface SipCallRecordOptions {
  dialogs: Pick<StoredDialogs, 'put' | 'remove'>;
  seal: Seal<StoredDialog>;
  lease: Lease;
  /** Returns the current state. */
  state: () => SipCallState | PersonLegState;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

const RETRY_MS = 500;

/** Stores the state of an answered call whenever it changes, so that another worker can continue the call. */
export class SipCallRecord {
  readonly #options: SipCallRecordOptions;
  readonly #closed = new AbortController();
  #isOutdated = false;
  #writing: Promise<void> | null = null;

  constructor(options: SipCallRecordOptions) {
    this.#options = options;
  }

  /** Stores the state soon. Several changes in a short time are stored once. */
  changed(): void {
    if (this.#closed.signal.aborted) return;
    this.#isOutdated = true;
    this.#writing ??= this.#write();
  }

  /** Stores no more changes. `isOver`: the record is removed, because no other worker continues the call. */
  async close(isOver: boolean): Promise<void> {
    const { dialogs, lease, log } = this.#options;
    this.#closed.abort();
    await this.#writing;
    if (!isOver) return;
    await dialogs.remove(lease.workerId, lease.callId).catch((thrown: unknown) => {
      log.warn({ err: toError(thrown) }, 'failed to remove the stored state of a SIP call; it expires');
    });
  }

  async #write(): Promise<void> {
    const { dialogs, seal, lease, state, clock, log } = this.#options;
    const { callId, epoch, workerId } = lease;
    while (this.#isOutdated && !this.#closed.signal.aborted) {
      // Waits, so that changes made in the same turn of the event loop are stored once.
      await Promise.resolve();
      this.#isOutdated = false;
      try {
        await dialogs.put(workerId, seal.seal({ callId, epoch, state: JSON.stringify(state()) }));
      } catch (thrown) {
        this.#isOutdated = true;
        log.warn({ err: toError(thrown) }, 'failed to store the state of a SIP call; retrying');
        await delay(clock, RETRY_MS, this.#closed.signal).catch(() => undefined);
      }
    }
    this.#writing = null;
  }
}
