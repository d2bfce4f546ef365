import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { KvEntry } from 'nats';
import type { Bucket, BucketDefinition, BucketReads } from './bucket.ts';
import { asBusError, isRevisionConflict, isTooLarge, MessageTooLargeError } from './bus-error.ts';
import { packJson, unpackJson } from './packed-json.ts';
import { retryLeaderless } from './retry-leaderless.ts';
import { parseLeaseRecord, type LeaseRecord } from './records.ts';
import type { WorkerDirectory } from './worker-directory.ts';

/** The right to run a call. `epoch` counts the owners of the call from 1: a lower epoch belongs to an earlier owner. */
export interface Lease {
  callId: string;
  workerId: string;
  epoch: number;
  /** Revision of the record as written by this process; absent if an earlier attempt wrote it. */
  revision?: number;
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

export const LEASE_BUCKET: BucketDefinition = {
  name: 'call_leases',
  // Longer than any call lasts (an hour to join and a day to talk). Removes records that crashes left behind.
  ttlMs: 26 * 3_600_000,
  maxBytes: 4 * 1024 ** 3,
};
const MAX_ATTEMPTS = 4;

export interface LeaseStoreOptions {
  /** For reads that may be answered by any replica. */
  replica: Bucket;
  /** For writes, and reads before a write. */
  leader: Bucket;
  workers: Pick<WorkerDirectory, 'isLive'>;
}

/** Leases of calls, one record per call. */
export class LeaseStore {
  readonly #options: LeaseStoreOptions;

  constructor(options: LeaseStoreOptions) {
    this.#options = options;
  }

  /**
   * Acquires the lease of a created call by compare-and-set, in one round trip if there is none yet. Succeeds if there is no lease,
   * the lease is free, its holder is no longer in the worker directory, or this worker already holds it (same epoch). `held`:
   * another worker has it. `over`: the call has ended. Each process start needs a new worker id.
   */
  async acquire(call: CreatedCall, holder: Holder): Promise<Lease | 'held' | 'over'> {
    const { callId } = call.spec;
    let found: KnownLease | null = null;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const lease = await this.#take(found ?? { callId, epoch: 0, revision: 0, call }, holder);
      if (lease) return lease;
      found = await this.#read(callId, 'leader');
      if (found && !found.call) return 'over';
      if (found?.holder?.workerId === holder.workerId)
        return { callId, workerId: holder.workerId, epoch: found.epoch };
      if (found?.holder && (await this.#isLive(found.holder))) return 'held';
    }
    return 'held';
  }

  /** Null if no worker has ever acquired the lease. The answer may be milliseconds old: `takeOver` checks it. */
  find(callId: string): Promise<KnownLease | null> {
    return this.#read(callId, 'replica');
  }

  /** Takes the lease from its holder, live or not. Null if the record has changed since `found`, or the call has ended. */
  takeOver(found: KnownLease, holder: Holder): Promise<Lease | null> {
    return this.#take(found, holder);
  }

  /**
   * False if the lease is free or another worker's. True if the record is missing: then no other worker can have it. Like
   * that of `find`, the answer may be milliseconds old.
   */
  async holds(lease: Lease): Promise<boolean> {
    const found = await this.find(lease.callId);
    // A lower epoch was read from a replica that does not have the write of this lease yet.
    if (!found || found.epoch < lease.epoch) return true;
    return found.call !== null && isSame(found, lease);
  }

  /** Frees the lease for another worker. Does nothing if another worker already has it. */
  handOver(lease: Lease): Promise<void> {
    return this.#change(lease, (found) => ({ epoch: found.epoch, holder: null, call: found.call }));
  }

  /** Marks the call as ended, so that its lease cannot be acquired again. Does nothing if another worker has the lease. */
  async end(lease: Lease): Promise<void> {
    const { callId, epoch, revision } = lease;
    const ended = { epoch, holder: null, call: null };
    if (revision !== undefined && (await this.#write({ callId, revision }, ended))) return;
    await this.#change(lease, () => ended);
  }

  /** Marks a call that no worker has ever taken as ended, so that none can. False if one has taken it. */
  async endUntaken(callId: string): Promise<boolean> {
    return (await this.#write({ callId, revision: 0 }, { epoch: 1, holder: null, call: null })) !== null;
  }

  async #take(
    from: Pick<KnownLease, 'callId' | 'epoch' | 'call' | 'revision'>,
    holder: Holder,
  ): Promise<Lease | null> {
    if (!from.call) return null;
    const epoch = from.epoch + 1;
    const written = await this.#write(from, { epoch, holder, call: from.call });
    return written && { callId: from.callId, workerId: holder.workerId, epoch, ...written };
  }

  async #change(lease: Lease, next: (found: KnownLease) => LeaseRecord): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await this.#read(lease.callId, 'leader');
      if (!found || !isSame(found, lease)) return;
      if (await this.#write(found, next(found))) return;
    }
  }

  async #read(callId: string, reads: BucketReads): Promise<KnownLease | null> {
    try {
      return await retryLeaderless(async () => {
        const bucket = await this.#options[reads].open();
        return knownLease(callId, await bucket.get(callId));
      });
    } catch (thrown) {
      throw asBusError('lease find', thrown);
    }
  }

  /** Null if the record has changed since. Without a revision if the response to an attempt was lost. */
  async #write(
    { callId, revision }: Pick<KnownLease, 'callId' | 'revision'>,
    record: LeaseRecord,
  ): Promise<Pick<Lease, 'revision'> | null> {
    let attempts = 0;
    try {
      const packed = await packJson(record);
      return await retryLeaderless(async () => {
        const bucket = await this.#options.leader.open();
        attempts += 1;
        return { revision: await bucket.put(callId, packed, { previousSeq: revision }) };
      });
    } catch (thrown) {
      if (isRevisionConflict(thrown))
        return attempts > 1 && (await this.#isWritten(callId, record)) ? {} : null;
      if (isTooLarge(thrown)) throw new MessageTooLargeError('lease', JSON.stringify(record).length);
      throw asBusError('lease write', thrown);
    }
  }

  /** Whether an earlier attempt, with a lost response, has written the record. */
  async #isWritten(callId: string, { epoch, holder }: LeaseRecord): Promise<boolean> {
    const found = await this.#read(callId, 'leader');
    return found?.epoch === epoch && found.holder?.workerId === holder?.workerId;
  }

  async #isLive({ workerId }: Holder): Promise<boolean> {
    try {
      return await this.#options.workers.isLive(workerId);
    } catch (thrown) {
      throw asBusError('lease holder', thrown);
    }
  }
}

function isSame(found: KnownLease, lease: Lease): boolean {
  return found.epoch === lease.epoch && found.holder?.workerId === lease.workerId;
}

async function knownLease(callId: string, entry: KvEntry | null): Promise<KnownLease | null> {
  if (entry?.operation !== 'PUT') return null;
  const record = parseLeaseRecord(await unpackJson(entry.value));
  return record && { callId, revision: entry.revision, ...record };
}
