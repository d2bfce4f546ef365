import type { StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import type { KV } from 'nats';
import { valueOf, type Bucket, type BucketDefinition } from './bucket.ts';
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
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** Replaces the worker's earlier record of the call. */
  async put(workerId: string, dialog: StoredDialog): Promise<void> {
    await this.#bucket.use('dialog write', (kv) =>
      kv.put(dialogKey(workerId, dialog.callId), JSON.stringify(dialog)),
    );
  }

  remove(workerId: string, callId: string): Promise<void> {
    return this.#bucket.use('dialog removal', () => this.#bucket.remove(dialogKey(workerId, callId)));
  }

  /** Null if the worker has no record of the call, or if this release cannot read it. */
  find(workerId: string, callId: string): Promise<StoredDialog | null> {
    return this.#bucket.use('dialog find', (kv) => dialogAt(kv, dialogKey(workerId, callId)));
  }

  /** The calls of a worker. */
  of(workerId: string): Promise<StoredDialog[]> {
    return this.#bucket.use('dialog list', async (kv) => {
      const keys = await this.#bucket.keys(`${keyOf(workerId)}.*`);
      const found = await Promise.all(keys.map((key) => dialogAt(kv, key)));
      return found.flatMap((dialog) => dialog ?? []);
    });
  }

  /** The workers that have calls. */
  workers(): Promise<string[]> {
    return this.#bucket.use('dialog list', async () => {
      const workers = (await this.#bucket.keys('>')).map((key) => key.split('.')[0] ?? '');
      return [...new Set(workers)].map((key) => Buffer.from(key, 'base64url').toString());
    });
  }
}

function dialogKey(workerId: string, callId: string): string {
  return `${keyOf(workerId)}.${callId}`;
}

async function dialogAt(kv: KV, key: string): Promise<StoredDialog | null> {
  return valueOf(await kv.get(key), parseStoredDialog);
}
