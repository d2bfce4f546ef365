import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseWav } from '@calls/audio/wav';
import { readWavHeader, WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import type { RecordingSink } from '@calls/conversation/ports/recordings';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { FileStorage } from '../file-storage.ts';
import type { ObjectStorage, ObjectWriter } from '../object-storage.ts';
import { StorageError } from '../storage-error.ts';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { WavRecordings } from './wav-recordings.ts';

const SECOND_BYTES = 64_000;
const call = { accountId: 'account', callId: 'call' };
const key = 'recordings/account/call.wav';

let folder: string;
let errors: Error[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'calls-recordings-'));
  errors = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(storage: ObjectStorage, clock: Clock = systemClock): RecordingSink {
  return new WavRecordings({ storage, clock, log: silentLogger }).open(call, (error) => errors.push(error));
}

/** The stored part of an unfinished recording once it has this much audio. */
async function partial(soundBytes: number): Promise<Buffer> {
  const path = join(folder, 'recordings/account');
  for (;;) {
    const [name] = await readdir(path).catch(() => []);
    const file = name === undefined ? null : await readFile(join(path, name)).catch(() => null);
    if (file && file.length >= soundBytes + WAV_HEADER_BYTES) return file;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Open files of this process in the storage. */
async function openFiles(): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd');
  const paths = await Promise.all(numbers.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}

const second = (value: number): Uint8Array => new Uint8Array(SECOND_BYTES).fill(value);

/** The real storage with a limited disk, or one that accepts nothing and never responds. */
function limited(limitBytes: number, failure: 'full' | 'hangs'): ObjectStorage {
  const storage = new FileStorage(folder);
  const limit = (writer: ObjectWriter): ObjectWriter => ({
    get bytes() {
      return writer.bytes;
    },
    write: (chunk) => {
      if (writer.bytes + chunk.byteLength <= limitBytes) return writer.write(chunk);
      if (failure === 'hangs') return new Promise<void>(() => undefined);
      return Promise.reject(new StorageError('storage_full', 'no space left'));
    },
    commit: (head) => writer.commit(head),
    leave: () => writer.leave(),
    abort: () => writer.abort(),
  });
  return {
    create: async (name) => limit(await storage.create(name)),
    put: (name, body) => storage.put(name, body),
    stat: (name) => storage.stat(name),
    open: (name) => storage.open(name),
    delete: (name) => storage.delete(name),
    unfinished: (under) => storage.unfinished(under),
    storeDelayMs: storage.storeDelayMs,
    link: () => storage.link(),
    check: () => storage.check(),
    [Symbol.dispose]: () => storage[Symbol.dispose](),
  };
}

describe('WavRecordings', () => {
  it('stores a stereo WAV file with its length in the header', async () => {
    const sink = open(new FileStorage(folder));
    for (const value of [1, 2, 3]) sink.write(second(value));
    const bytes = 3 * SECOND_BYTES + WAV_HEADER_BYTES;
    expect(await sink.close()).toEqual({ key, bytes, durationMs: 3000 });
    const file = await readFile(join(folder, key));
    expect(file).toHaveLength(bytes);
    expect(readWavHeader(file)).toMatchObject({
      format: { encoding: 'pcm', channels: 2, sampleRateHz: 16_000, bitsPerSample: 16 },
      dataBytes: 3 * SECOND_BYTES,
    });
    expect(errors).toEqual([]);
  });

  it('writes large pieces while storage is deferred, and stores everything', async () => {
    let isDeferred = true;
    const pieces: number[] = [];
    const files = new FileStorage(folder);
    const storage = new Proxy(files, {
      get(target, property) {
        if (property !== 'create') return Reflect.get(target, property) as unknown;
        return async (name: string): Promise<ObjectWriter> => {
          const writer = await target.create(name);
          const write = writer.write.bind(writer);
          writer.write = (chunk) => {
            pieces.push(chunk.byteLength);
            return write(chunk);
          };
          return writer;
        };
      },
    });
    const options = { storage, clock: systemClock, log: silentLogger, isDeferred: () => isDeferred };
    const sink = new WavRecordings(options).open(call, (error) => errors.push(error));
    for (let i = 0; i < 4; i += 1) {
      sink.write(second(i));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(pieces.filter((bytes) => bytes === SECOND_BYTES)).toEqual([]);
    isDeferred = false;
    sink.write(second(4));
    await partial(5 * SECOND_BYTES);
    isDeferred = true;
    sink.write(second(5));
    expect(await sink.close()).toMatchObject({ durationMs: 6000 });
    expect(errors).toEqual([]);
  });

  it('stores a file that is readable during the call and after a crash', async () => {
    const sink = open(new FileStorage(folder));
    sink.write(second(5));
    expect(parseWav(await partial(SECOND_BYTES)).samples).toHaveLength(16_000);
    await sink.close();
  });

  it('retains stored audio when the storage is full, and reports it once', async () => {
    const sink = open(limited(2 * SECOND_BYTES + WAV_HEADER_BYTES, 'full'));
    for (let i = 0; i < 5; i += 1) {
      sink.write(second(i));
      // What waits for a slow disk is written in one piece, all of which would be too much.
      if (i < 2) await partial((i + 1) * SECOND_BYTES);
    }
    expect(await sink.close()).toMatchObject({ durationMs: 2000 });
    expect(errors).toMatchObject([
      { code: 'storage_full', message: 'The recording is incomplete: the storage is full.' },
    ]);
    expect(readWavHeader(await readFile(join(folder, key)))?.dataBytes).toBe(2 * SECOND_BYTES);
  });

  it('closes its file when the storage is full', async () => {
    const options = { clock: systemClock, log: silentLogger };
    const begun = new WavRecordings({ storage: limited(WAV_HEADER_BYTES, 'full'), ...options });
    expect(await begun.resume(call, 1000, (error) => errors.push(error)).close()).toBeNull();
    const sink = open(limited(WAV_HEADER_BYTES + 3, 'full'));
    sink.write(new Uint8Array(3));
    expect(await sink.close()).toBeNull();
    expect(errors).toMatchObject([{ code: 'storage_full' }, { code: 'storage_full' }]);
    expect(await openFiles()).toEqual([]);
  });

  it('limits its buffer and its wait when the storage does not respond', async () => {
    const clock = new VirtualClock();
    const sink = open(limited(SECOND_BYTES + WAV_HEADER_BYTES, 'hangs'), clock);
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (let i = 0; i < 30; i += 1) sink.write(second(i));
    expect(errors).toMatchObject([{ code: 'storage_slow' }]);
    const closed = sink.close();
    await clock.advance(5000);
    expect(await closed).toBeNull();
    expect(errors).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('continues an earlier session, with silence in between', async () => {
    const storage = new FileStorage(folder);
    const recordings = new WavRecordings({ storage, clock: systemClock, log: silentLogger });
    const first = recordings.open(call, (error) => errors.push(error));
    first.write(second(1));
    await first.suspend();
    const later = recordings.resume(call, 2500, (error) => errors.push(error));
    later.write(second(2));
    await later.suspend();
    expect(await recordings.finish(call)).toMatchObject({ durationMs: 3500 });
    const sound = (await readFile(join(folder, key))).subarray(WAV_HEADER_BYTES);
    const at = (ms: number) => sound[(ms / 1000) * SECOND_BYTES];
    expect([at(999), at(1000), at(2499), at(2500), at(3499)]).toEqual([1, 0, 0, 2, 2]);
    expect(await recordings.finish(call)).toBeNull();
    expect(errors).toEqual([]);
  });

  it('starts a new file when the earlier session stored nothing', async () => {
    const sink = new WavRecordings({
      storage: new FileStorage(folder),
      clock: systemClock,
      log: silentLogger,
    }).resume(call, 2000, (error) => errors.push(error));
    sink.write(second(7));
    expect(await sink.close()).toMatchObject({ durationMs: 3000 });
  });

  it('rejects writes of a session after another session has resumed the recording', async () => {
    const storage = new FileStorage(folder);
    const stalled = open(storage);
    stalled.write(second(1));
    await partial(SECOND_BYTES);
    const recordings = new WavRecordings({ storage, clock: systemClock, log: silentLogger });
    const next = recordings.resume(call, 1000, (error) => errors.push(error));
    next.write(second(2));
    await partial(2 * SECOND_BYTES);
    stalled.write(second(9));
    await stalled.suspend();
    expect(errors).toMatchObject([{ code: 'storage_failed' }]);
    expect(await next.close()).toMatchObject({ durationMs: 2000 });
    expect((await readFile(join(folder, key))).includes(Buffer.from([9, 9]))).toBe(false);
  });

  it('stores nothing when it cannot start or has no audio', async () => {
    await writeFile(join(folder, 'recordings'), '');
    const sink = open(new FileStorage(folder));
    sink.write(second(1));
    expect(await sink.close()).toBeNull();
    expect(errors).toMatchObject([{ code: 'storage_failed' }]);
    await rm(join(folder, 'recordings'));
    expect(await open(new FileStorage(folder)).close()).toBeNull();
    expect(await readdir(join(folder, 'recordings/account'))).toEqual([]);
    expect(errors).toHaveLength(1);
  });
});
