import {
  sipCallStateValidator,
  type SipCallState,
  type StoredDialog,
} from '@calls/api-contract/bus/stored-dialog';
import type { SipSpec } from '@calls/api-contract/call-spec';
import type { Seal } from '@calls/bus/call-seal';
import type { KnownLease, LeaseStore } from '@calls/bus/leases';
import type { StoredDialogs } from '@calls/bus/stored-dialogs';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { CallHost } from '../../calls/call-host.ts';
import { hangUpPeer, MovedLeg } from './moved-leg.ts';
import { resumeCall, type ResumedCall } from './resume-call.ts';
import type { SipDeps } from '../leg/sip-leg.ts';
import type { FailoverStages } from './failover-stages.ts';

export interface SipCallFailoverOptions {
  workerId: string;
  /** The worker that wrote the state of the call. */
  from: string;
  stored: StoredDialog;
  bus: { dialogs: Pick<StoredDialogs, 'remove'>; leases: Pick<LeaseStore, 'find'> };
  seal: Seal<StoredDialog>;
  stages: FailoverStages;
  deps: SipDeps;
  /** Tracks work until its end. */
  track: (work: Promise<void>) => void;
  log: Logger;
}

/** Takes one answered SIP call over. May need several attempts. */
export class SipCallFailover {
  readonly #options: SipCallFailoverOptions;
  /** Epoch of the last owner of the lease: the worker that wrote the state, or this one if an attempt failed later. */
  #epoch: number;
  /**
   * Leg of this attempt or of an earlier one. Attempts share it, because the peer rejects a second leg that repeats the
   * request numbers.
   */
  #leg: MovedLeg | null = null;

  constructor(options: SipCallFailoverOptions) {
    this.#options = options;
    this.#epoch = options.stored.epoch;
  }

  /** False if this worker has no room for the call. Rejects if the bus fails. */
  async attempt(host: Pick<CallHost, 'failOver'>): Promise<boolean> {
    const { bus, from, stored, seal, stages } = this.#options;
    const { callId } = stored;
    using claim = await stages.claim();
    const lease = await bus.leases.find(callId);
    if (!this.#isLeft(lease)) {
      // Its worker died before it could remove the record.
      if (!lease?.call) await bus.dialogs.remove(from, callId);
      await this.#leg?.release();
      return true;
    }
    const { medium } = lease.call.spec;
    if (medium.kind !== 'sip') return true;
    const state = sipCallStateValidator.parse(JSON.parse(seal.open(stored).state));
    await using conversation = new AsyncDisposableStack();
    const result = await host.failOver(lease, {
      claimed: async () => {
        this.#epoch = lease.epoch + 1;
        this.#leg ??= await this.#moved(medium, state);
        claim[Symbol.dispose]();
        conversation.use(await stages.converse());
      },
      connect: (call, callLog) => this.#connect(call, medium, state, callLog),
    });
    if (result.kind === 'no_capacity') return false;
    if (result.kind === 'moved') await this.#leg?.release();
    // A call without a stored conversation has ended now.
    if (result.kind === 'over') this.#hangUp(medium, state);
    if (result.kind !== 'moved') await bus.dialogs.remove(from, callId);
    return true;
  }

  /** No further attempt follows. */
  async giveUp(): Promise<void> {
    await this.#leg?.[Symbol.asyncDispose]();
  }

  /** Null if no port is free: the call cannot continue. */
  async #moved(medium: SipSpec, state: SipCallState): Promise<MovedLeg | null> {
    const { deps, stored, log } = this.#options;
    try {
      return await MovedLeg.begin(deps, medium, state);
    } catch (thrown) {
      log.error({ callId: stored.callId, err: toError(thrown) }, 'failed to open the media of a SIP call');
      return null;
    }
  }

  #connect(call: ResumedCall, medium: SipSpec, state: SipCallState, callLog: Logger): void {
    const { deps, track } = this.#options;
    const leg = this.#leg;
    if (!leg) {
      call.end('system_error');
      this.#hangUp(medium, state);
      return;
    }
    track(
      resumeCall(deps, call, leg, state, callLog).catch(async (thrown: unknown) => {
        callLog.error({ err: toError(thrown) }, 'failed to continue SIP call of another worker');
        call.end('system_error');
        await leg[Symbol.asyncDispose]();
      }),
    );
  }

  #hangUp(medium: SipSpec, { dialog }: SipCallState): void {
    const { deps, track } = this.#options;
    track(this.#leg ? this.#leg[Symbol.asyncDispose]() : hangUpPeer(deps, medium, dialog));
  }

  /** Whether the lease was last held by the worker that wrote the state, or by a failed attempt of this one. */
  #isLeft(lease: KnownLease | null): lease is KnownLease & { call: NonNullable<KnownLease['call']> } {
    const { workerId, from, stored } = this.#options;
    if (!lease?.call || lease.epoch !== this.#epoch) return false;
    const owner = this.#epoch === stored.epoch ? from : workerId;
    return lease.holder === null || lease.holder.workerId === owner;
  }
}
