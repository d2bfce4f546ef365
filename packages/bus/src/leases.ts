import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import { StorageType, type JetStreamClient, type KV, type KvEntry } from 'nats';
import { asBusError, isRevisionConflict, isTooLarge, MessageTooLargeError } from './bus-error.ts';
import { packJson, unpackJson } from './packed-json.ts';
import { parseLeaseRecord, type LeaseRecord } from './records.ts';
import type { WorkerDirectory } from './worker-directory.ts';

/** The right to run a call. `epoch` counts the owners of the call from 1: a lower epoch belongs to an earlier owner. */
export interface Lease {
  callId: string;
  workerId: string;
  epoch: number;
}

/** The worker that holds a lease, and the URL under which other workers forward joins to it. */
export interface Holder {
  workerId: string;
  url: string;
}

/** The stored state of a call's lease. */
export interface KnownLease {
  callId: string;
  epoch: number;
  /** Null: the lease is free. */
  holder: Holder | null;
  /** The call as given to `acquire`, for the next owner. Null: the call has ended. */
  call: CreatedCall | null;
  /** Increases with every change of the record. */
  revision: number;
}

const BUCKET = 'call_leases';
/** Longer than any call lasts (an hour to join and a day to talk). Removes records that crashes left behind. */
const LEASE_TTL_MS = 26 * 3_600_000;
const MAX_BUCKET_BYTES = 4 * 1024 ** 3;
const MAX_ATTEMPTS = 4;

export function openLeaseBucket(jetStream: JetStreamClient): Promise<KV> {
  return jetStream.views.kv(BUCKET, {
    history: 1,
    ttl: LEASE_TTL_MS,
    storage: StorageType.File,
    max_bytes: MAX_BUCKET_BYTES,
  });
}

/** Leases of calls, one record per call. */
export class LeaseStore {
  readonly #bucket: () => Promise<KV>;
  readonly #workers: Pick<WorkerDirectory, 'isLive'>;

  constructor(bucket: () => Promise<KV>, workers: Pick<WorkerDirectory, 'isLive'>) {
    this.#bucket = bucket;
    this.#workers = workers;
  }

  /**
   * Acquires the lease of a queued call by compare-and-set. Succeeds if there is no lease, the lease is free, its holder is no
   * longer in the worker directory, or this worker already holds it (same epoch). `held`: another worker has it. `over`: the
   * call has ended. Each process start needs a new worker id.
   */
  async acquire(call: CreatedCall, holder: Holder): Promise<Lease | 'held' | 'over'> {
    const { callId } = call.spec;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await this.find(callId);
      if (found && !found.call) return 'over';
      if (found?.holder?.workerId === holder.workerId) return leaseOf(found, holder);
      if (found?.holder && (await this.#isLive(found.holder))) return 'held';
      const lease = await this.#take(found ?? { callId, epoch: 0, revision: 0, call }, holder);
      if (lease) return lease;
    }
    return 'held';
  }

  /** The same for a call that was created for this worker just now: one round trip, because there is no lease yet. */
  async acquireNew(call: CreatedCall, holder: Holder): Promise<Lease | 'held' | 'over'> {
    const { callId } = call.spec;
    const lease = await this.#take({ callId, epoch: 0, revision: 0, call }, holder);
    return lease ?? this.acquire(call, holder);
  }

  /** Null if no worker has ever acquired the lease. */
  async find(callId: string): Promise<KnownLease | null> {
    try {
      const bucket = await this.#bucket();
      return await knownLease(callId, await bucket.get(callId));
    } catch (thrown) {
      throw asBusError('lease find', thrown);
    }
  }

  /** Takes the lease from its holder, live or not. Null if the record has changed since `found`, or the call has ended. */
  takeOver(found: KnownLease, holder: Holder): Promise<Lease | null> {
    return this.#take(found, holder);
  }

  /** False if the lease is free or another worker's. True if the record is missing: then no other worker can have it. */
  async holds(lease: Lease): Promise<boolean> {
    const found = await this.find(lease.callId);
    return !found || (found.call !== null && isSame(found, lease));
  }

  /** Frees the lease for another worker. Does nothing if another worker already has it. */
  handOver(lease: Lease): Promise<void> {
    return this.#change(lease, (found) => ({ epoch: found.epoch, holder: null, call: found.call }));
  }

  /** Marks the call as ended, so that its lease cannot be acquired again. Does nothing if another worker has the lease. */
  end(lease: Lease): Promise<void> {
    return this.#change(lease, ({ epoch }) => ({ epoch, holder: null, call: null }));
  }

  async #take(
    from: Pick<KnownLease, 'callId' | 'epoch' | 'call' | 'revision'>,
    holder: Holder,
  ): Promise<Lease | null> {
    if (!from.call) return null;
    const epoch = from.epoch + 1;
    const isWritten = await this.#write(from, { epoch, holder, call: from.call });
    return isWritten ? { callId: from.callId, workerId: holder.workerId, epoch } : null;
  }

  async #change(lease: Lease, next: (found: KnownLease) => LeaseRecord): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await this.find(lease.callId);
      if (!found || !isSame(found, lease)) return;
      if (await this.#write(found, next(found))) return;
    }
  }

  /** False if the record has changed since. */
  async #write(
    { callId, revision }: Pick<KnownLease, 'callId' | 'revision'>,
    record: LeaseRecord,
  ): Promise<boolean> {
    try {
      const bucket = await this.#bucket();
      await bucket.put(callId, await packJson(record), { previousSeq: revision });
      return true;
    } catch (thrown) {
      if (isRevisionConflict(thrown)) return false;
      if (isTooLarge(thrown)) throw new MessageTooLargeError('lease', JSON.stringify(record).length);
      throw asBusError('lease write', thrown);
    }
  }

  async #isLive({ workerId }: Holder): Promise<boolean> {
    try {
      return await this.#workers.isLive(workerId);
    } catch (thrown) {
      throw asBusError('lease holder', thrown);
    }
  }
}

function isSame(found: KnownLease, lease: Lease): boolean {
  return found.epoch === lease.epoch && found.holder?.workerId === lease.workerId;
}

function leaseOf({ callId, epoch }: KnownLease, { workerId }: Holder): Lease {
  return { callId, workerId, epoch };
}

async function knownLease(callId: string, entry: KvEntry | null): Promise<KnownLease | null> {
  if (entry?.operation !== 'PUT') return null;
  const record = parseLeaseRecord(await unpackJson(entry.value));
  return record && { callId, revision: entry.revision, ...record };
}
