import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectStorage, StoredObject } from '@calls/object-storage/object-storage';
import { collect } from '@calls/testkit/collect';

export interface ObjectStorageConformance {
  /** Returns an empty storage. */
  create: () => Promise<ObjectStorage>;
  dispose: () => Promise<void>;
  /** Time limit of each test. */
  timeoutMs?: number;
}

function pattern(bytes: number, seed = 1): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => (i * 31 + (i >> 8) * 7 + seed) % 256);
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

/** Tests that every ObjectStorage must pass. */
export function describeObjectStorage(name: string, options: ObjectStorageConformance): void {
  const { timeoutMs = 20_000 } = options;
  const test = (title: string, run: () => Promise<void>): void => it(title, run, timeoutMs);

  describe(`${name} as ObjectStorage`, () => {
    let storage: ObjectStorage;

    beforeAll(async () => {
      storage = await options.create();
    }, timeoutMs);
    afterAll(() => options.dispose());

    async function opened(key: string): Promise<StoredObject> {
      const object = await storage.open(key);
      if (!object) throw new Error(`object ${key} not found`);
      return object;
    }

    async function expectWholeOrFailure(object: StoredObject, content: Uint8Array): Promise<void> {
      const outcome = await bytesOf(object.read()).catch((thrown: unknown) => thrown);
      if (outcome instanceof Buffer) expect(outcome.equals(content)).toBe(true);
      else expect(outcome).toMatchObject({ code: 'storage_failed' });
    }

    const read = async (key: string): Promise<Buffer> => bytesOf((await opened(key)).read());

    test('returns stored objects byte for byte, with their size', async () => {
      const body = pattern(300_001);
      const info = await storage.put('a/b/whole.bin', [body.subarray(0, 1), body.subarray(1)]);
      expect(info).toEqual({ bytes: 300_001 });
      expect(await storage.stat('a/b/whole.bin')).toEqual({ bytes: 300_001 });
      const object = await opened('a/b/whole.bin');
      expect(object.bytes).toBe(300_001);
      expect((await bytesOf(object.read())).equals(body)).toBe(true);
    });

    test('stores empty objects', async () => {
      await storage.put('empty', []);
      expect(await storage.stat('empty')).toEqual({ bytes: 0 });
      expect(await read('empty')).toHaveLength(0);
    });

    test('returns byte ranges', async () => {
      const body = pattern(200_000);
      await storage.put('ranges', [body]);
      for (const [start, end] of [
        [0, 2],
        [199_999, 200_000],
        [70_000, 140_001],
        [100, 100],
      ] as const) {
        const part = await bytesOf((await opened('ranges')).read(start, end));
        expect(part.equals(body.subarray(start, end))).toBe(true);
      }
      expect(await bytesOf((await opened('ranges')).read(199_000))).toHaveLength(1000);
    });

    test('returns null for keys without an object', async () => {
      expect(await storage.stat('nothing/here')).toBeNull();
      expect(await storage.open('nothing/here')).toBeNull();
      expect(await storage.delete('nothing/here')).toBe(false);
      await storage.put('folder/object', [pattern(1)]);
      expect(await storage.stat('folder')).toBeNull();
      expect(await storage.open('folder')).toBeNull();
      expect(await storage.delete('folder')).toBe(false);
      expect(await storage.open('folder/object/below')).toBeNull();
    });

    test('replaces and deletes objects; objects opened before return the old content or an error', async () => {
      await storage.put('changing', [pattern(100_000, 1)]);
      const before = await opened('changing');
      await storage.put('changing', [pattern(10, 2)]);
      expect(Buffer.from(pattern(10, 2)).equals(await read('changing'))).toBe(true);
      await expectWholeOrFailure(before, pattern(100_000, 1));
      const last = await opened('changing');
      expect(await storage.delete('changing')).toBe(true);
      expect(await storage.open('changing')).toBeNull();
      await expectWholeOrFailure(last, pattern(10, 2));
    });

    test('makes an object visible when it is committed, with the given header', async () => {
      const writer = await storage.create('growing');
      const body = pattern(150_000);
      for (let at = 0; at < body.length; at += 10_000) await writer.write(body.subarray(at, at + 10_000));
      expect(writer.bytes).toBe(150_000);
      expect(await storage.stat('growing')).toBeNull();
      const head = new Uint8Array(44).fill(7);
      expect(await writer.commit(head)).toEqual({ bytes: 150_000 });
      body.set(head);
      expect((await read('growing')).equals(body)).toBe(true);
    });

    test('leaves an existing object unchanged when a writer aborts or a body fails', async () => {
      await storage.put('existing', [pattern(5)]);
      const writer = await storage.create('existing');
      await writer.write(pattern(50));
      await writer.abort();
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield pattern(20);
        await Promise.reject(new Error('cut'));
      }
      await expect(storage.put('existing', failing())).rejects.toThrow('cut');
      expect(await read('existing')).toHaveLength(5);
    });

    test('separates concurrent writers of a key; the last commit wins', async () => {
      const [one, two] = await Promise.all([storage.create('both'), storage.create('both')]);
      await Promise.all([one.write(pattern(10, 1)), two.write(pattern(20, 2))]);
      await two.commit();
      await one.commit();
      expect((await read('both')).equals(pattern(10, 1))).toBe(true);
    });

    test('returns objects that can be disposed before, during and after reading', async () => {
      await storage.put('early', [pattern(500_000)]);
      await (await opened('early'))[Symbol.asyncDispose]();
      const object = await opened('early');
      for await (const chunk of object.read()) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
      await object[Symbol.asyncDispose]();
    });

    test('rejects invalid keys', async () => {
      const bad = [
        '',
        '/',
        '/a',
        'a/',
        'a//b',
        '.',
        '..',
        '../a',
        'a/../b',
        'a/..',
        '.hidden',
        'a/.hidden',
        'a\\b',
        'a\0b',
        'a b',
        'é',
        '%2e%2e/a',
        `${'a/'.repeat(300)}a`,
        'a'.repeat(129),
      ];
      for (const key of bad) {
        const refusal = { code: 'invalid_object_key' };
        await expect(storage.create(key)).rejects.toMatchObject(refusal);
        await expect(storage.put(key, [])).rejects.toMatchObject(refusal);
        await expect(storage.stat(key)).rejects.toMatchObject(refusal);
        await expect(storage.open(key)).rejects.toMatchObject(refusal);
        await expect(storage.delete(key)).rejects.toMatchObject(refusal);
      }
    });

    test('lists unfinished objects by key and folder, and resumes them', async () => {
      const [first, second] = [await storage.create('left/a.bin'), await storage.create('left/on/b.bin')];
      const bystander = await storage.create('left-alone');
      await first.write(pattern(10));
      await first.write(pattern(5, 2));
      await storage.put('left/whole', [pattern(3)]);
      const found = async (under?: string) =>
        (await collect(storage.unfinished(under))).map(({ key }) => key).sort();
      expect(await found('left')).toEqual(['left/a.bin', 'left/on/b.bin']);
      expect(await found('left/on/b.bin')).toEqual(['left/on/b.bin']);
      expect(await found()).toEqual(['left-alone', 'left/a.bin', 'left/on/b.bin']);
      expect(await found('left/whole')).toEqual([]);
      expect(await found('nothing/here')).toEqual([]);

      const [object] = await collect(storage.unfinished('left/a.bin'));
      expect(Math.abs((object?.changedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
      const resumed = await object?.resume();
      expect(resumed?.bytes).toBe(15);
      // The earlier writer can no longer write.
      const late = first.write(pattern(1)).then(() => first.leave());
      await expect(late).rejects.toMatchObject({ code: 'storage_failed' });
      await expect(first.commit()).rejects.toMatchObject({ code: 'storage_failed' });
      expect(await storage.stat('left/a.bin')).toBeNull();
      expect(await object?.resume()).toBeNull();
      await resumed?.write(pattern(7, 3));
      expect(await resumed?.commit(pattern(2, 9))).toEqual({ bytes: 22 });
      const whole = Buffer.concat([pattern(2, 9), pattern(10).subarray(2), pattern(5, 2), pattern(7, 3)]);
      expect((await read('left/a.bin')).equals(whole)).toBe(true);
      expect(await object?.resume()).toBeNull();

      await second.write(pattern(4));
      await second.leave();
      await expect(second.write(pattern(1))).rejects.toMatchObject({ code: 'storage_failed' });
      const [other] = await collect(storage.unfinished('left/on'));
      const again = await other?.resume();
      expect(again?.bytes).toBe(4);
      await again?.abort();
      expect(await found('left')).toEqual([]);
      for (const writer of [first, second, bystander]) await writer.abort();
    });
  });
}
