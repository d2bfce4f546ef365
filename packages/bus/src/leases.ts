import { StorageType, type JetStreamClient, type KV, type KvEntry } from 'nats';
import { asBusError, isRevisionConflict } from './bus-error.ts';
import { parseLeaseRecord } from './records.ts';

/** The right to run a call. `epoch` grows with every change of hands and fences late writes of earlier owners. */
export interface Lease {
  callId: string;
  workerId: string;
  epoch: number;
}

export interface LeaseStore {
  /**
   * Compare-and-set. The lease where the call was free, is already this worker's (the same epoch again), or its owner is
   * no longer in the worker directory; null where another live worker holds it or was faster. A worker's id must be
   * new each time its process starts.
   */
  acquire(callId: string, workerId: string): Promise<Lease | null>;
  /** Does nothing where the lease has passed to another worker. */
  release(lease: Lease): Promise<void>;
  find(callId: string): Promise<Lease | null>;
}

const BUCKET = 'call_leases';
/** Longer than any call may live (an hour to join and a day to talk); sweeps up what crashes left behind. */
const LEASE_TTL_MS = 26 * 3_600_000;
const MAX_ATTEMPTS = 3;

export interface Liveness {
  /** Whether the worker's record is fresh, as far as can be told. */
  isLive(workerId: string): Promise<boolean>;
}

export function openLeaseBucket(jetStream: JetStreamClient): Promise<KV> {
  return jetStream.views.kv(BUCKET, {
    history: 1,
    ttl: LEASE_TTL_MS,
    storage: StorageType.File,
    maxValueSize: 4096,
  });
}

export class KvLeaseStore implements LeaseStore {
  readonly #bucket: () => Promise<KV>;
  readonly #liveness: Liveness;

  constructor(bucket: () => Promise<KV>, liveness: Liveness) {
    this.#bucket = bucket;
    this.#liveness = liveness;
  }

  async acquire(callId: string, workerId: string): Promise<Lease | null> {
    try {
      const bucket = await this.#bucket();
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const entry = await bucket.get(callId);
        const held = leaseOf(callId, entry);
        if (held?.workerId === workerId) return held;
        if (held && (await this.#liveness.isLive(held.workerId))) return null;
        try {
          const epoch = await bucket.put(callId, JSON.stringify({ workerId }), {
            previousSeq: entry?.revision ?? 0,
          });
          return { callId, workerId, epoch };
        } catch (thrown) {
          if (!isRevisionConflict(thrown)) throw thrown;
        }
      }
      return null;
    } catch (thrown) {
      throw asBusError('lease acquire', thrown);
    }
  }

  async release(lease: Lease): Promise<void> {
    try {
      const bucket = await this.#bucket();
      await bucket.delete(lease.callId, { previousSeq: lease.epoch });
    } catch (thrown) {
      if (!isRevisionConflict(thrown)) throw asBusError('lease release', thrown);
    }
  }

  async find(callId: string): Promise<Lease | null> {
    try {
      const bucket = await this.#bucket();
      return leaseOf(callId, await bucket.get(callId));
    } catch (thrown) {
      throw asBusError('lease find', thrown);
    }
  }
}

function leaseOf(callId: string, entry: KvEntry | null): Lease | null {
  if (entry?.operation !== 'PUT') return null;
  const record = parseLeaseRecord(entry.string());
  return record && { callId, workerId: record.workerId, epoch: entry.revision };
}
