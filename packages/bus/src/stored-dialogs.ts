import type { StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import type { KV } from 'nats';
import type { BucketDefinition, BucketKeys } from './bucket.ts';
import { asBusError } from './bus-error.ts';
import { parseStoredDialog } from './records.ts';
import { keyOf } from './worker-directory.ts';

export const DIALOG_BUCKET: BucketDefinition = {
  name: 'sip_dialogs',
  // Longer than any call lasts. Removes records that crashes left behind.
  ttlMs: 26 * 3_600_000,
  maxBytes: 1024 ** 3,
};

/** The state of answered SIP calls, by the worker that wrote it. All methods reject while the bus is unavailable. */
export class StoredDialogs {
  readonly #bucket: () => Promise<KV>;
  readonly #keys: BucketKeys;

  constructor(bucket: () => Promise<KV>, keys: BucketKeys) {
    this.#bucket = bucket;
    this.#keys = keys;
  }

  /** Replaces the worker's earlier record of the call. */
  async put(workerId: string, dialog: StoredDialog): Promise<void> {
    await this.#with('dialog write', (bucket) =>
      bucket.put(dialogKey(workerId, dialog.callId), JSON.stringify(dialog)),
    );
  }

  async remove(workerId: string, callId: string): Promise<void> {
    await this.#with('dialog removal', () => this.#keys.remove(dialogKey(workerId, callId)));
  }

  /** Null if the worker has none of the call, or a release wrote it that this one cannot read. */
  find(workerId: string, callId: string): Promise<StoredDialog | null> {
    return this.#with('dialog find', (bucket) => dialogAt(bucket, dialogKey(workerId, callId)));
  }

  /** The calls of a worker. */
  of(workerId: string): Promise<StoredDialog[]> {
    return this.#with('dialog list', async (bucket) => {
      const keys = await this.#keys.list(`${keyOf(workerId)}.*`);
      const found = await Promise.all(keys.map((key) => dialogAt(bucket, key)));
      return found.flatMap((dialog) => dialog ?? []);
    });
  }

  /** The workers that have calls. */
  workers(): Promise<string[]> {
    return this.#with('dialog list', async () => {
      const workers = (await this.#keys.list('>')).map((key) => key.split('.')[0] ?? '');
      return [...new Set(workers)].map((key) => Buffer.from(key, 'base64url').toString());
    });
  }

  async #with<T>(operation: string, work: (bucket: KV) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#bucket());
    } catch (thrown) {
      throw asBusError(operation, thrown);
    }
  }
}

function dialogKey(workerId: string, callId: string): string {
  return `${keyOf(workerId)}.${callId}`;
}

async function dialogAt(bucket: KV, key: string): Promise<StoredDialog | null> {
  const entry = await bucket.get(key);
  return entry?.operation === 'PUT' ? parseStoredDialog(entry.string()) : null;
}
