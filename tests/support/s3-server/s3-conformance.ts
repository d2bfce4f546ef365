import { afterAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import type { S3Config } from '@calls/object-storage/config';
import type { ObjectStorage, ObjectWriter } from '@calls/object-storage/object-storage';
import { S3Storage } from '@calls/object-storage/s3/s3-storage';
import { collect } from '@calls/testkit/collect';
import { describeObjectStorage } from '../object-storage-conformance.ts';

const MEBIBYTE = 1024 * 1024;

/** Content that differs in each kibibyte. */
export function pattern(bytes: number, seed = 1): Buffer {
  const content = Buffer.alloc(bytes, `content ${seed}`);
  for (let at = 0; at + 4 <= bytes; at += 1024) content.writeInt32LE(at, at);
  return content;
}

export async function contentOf(storage: ObjectStorage, key: string): Promise<Buffer> {
  const object = await storage.open(key);
  return Buffer.concat(object ? await collect(object.read()) : []);
}

export async function resumed(storage: ObjectStorage, key: string): Promise<ObjectWriter | null | undefined> {
  const [object] = await collect(storage.unfinished(key));
  return object?.resume();
}

/** Tests that S3Storage must pass with every server. The bucket must be empty. */
export function describeS3Storage(name: string, config: () => S3Config): void {
  const storages: S3Storage[] = [];
  afterAll(() => {
    for (const storage of storages) storage[Symbol.dispose]();
  });

  function open(changed: Partial<S3Config> = {}): S3Storage {
    const storage = new S3Storage({ ...config(), ...changed }, { clock: systemClock, storeDelayMs: 0 });
    storages.push(storage);
    return storage;
  }

  describeObjectStorage(name, {
    create: () => Promise.resolve(open({ prefix: 'conformance' })),
    dispose: () => Promise.resolve(),
  });

  describe(`${name} multipart uploads and links`, () => {
    it('write an object of several parts, also when another process resumes it', async () => {
      const storage = open();
      const content = pattern(11 * MEBIBYTE + 5);
      const writer = await storage.create('long.wav');
      const half = 8 * MEBIBYTE;
      for (let at = 0; at < half; at += MEBIBYTE) await writer.write(content.subarray(at, at + MEBIBYTE));
      await writer.leave();
      const successor = await resumed(storage, 'long.wav');
      expect(successor?.bytes).toBe(half);
      await successor?.write(content.subarray(half));
      const head = new Uint8Array(44).fill(9);
      content.set(head);
      expect(await successor?.commit(head)).toEqual({ bytes: content.byteLength });
      expect((await contentOf(storage, 'long.wav')).equals(content)).toBe(true);
      expect(await collect(storage.unfinished())).toEqual([]);
    }, 60_000);

    it('store a body of several parts', async () => {
      const storage = open();
      const body = pattern(6 * MEBIBYTE);
      await storage.put('upload.pdf', [body.subarray(0, MEBIBYTE), body.subarray(MEBIBYTE)]);
      expect((await contentOf(storage, 'upload.pdf')).equals(body)).toBe(true);
    }, 60_000);

    it('allow only one of several processes to resume an object', async () => {
      const storage = open();
      await (await storage.create('contested')).write(pattern(10));
      const [object] = await collect(storage.unfinished('contested'));
      const outcomes = await Promise.allSettled([object?.resume(), object?.resume(), object?.resume()]);
      const writers = outcomes.flatMap((outcome) =>
        outcome.status === 'fulfilled' ? (outcome.value ?? []) : [],
      );
      expect(writers.length).toBeLessThanOrEqual(1);
      await (writers[0] ?? (await resumed(storage, 'contested')))?.abort();
      expect(await collect(storage.unfinished('contested'))).toEqual([]);
    });

    it('have signed URLs that support range requests', async () => {
      const storage = open();
      await storage.put('linked.wav', [pattern(1000)]);
      const headers = { contentType: 'audio/wav', fileName: 'call.wav' };
      const url = await storage.link('linked.wav', headers);
      const response = await fetch(url ?? '', { headers: { Range: 'bytes=10-19' } });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-type')).toBe('audio/wav');
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="call.wav"');
      expect(Buffer.from(await response.arrayBuffer()).equals(pattern(1000).subarray(10, 20))).toBe(true);
      const forged = await fetch(
        url?.replace(/(?<=Signature=)./u, (digit) => (digit === '0' ? '1' : '0')) ?? '',
      );
      expect(forged.status).toBe(403);
      expect(await open({ redirectsDownloads: false }).link('linked.wav', headers)).toBeNull();
    });
  });
}
