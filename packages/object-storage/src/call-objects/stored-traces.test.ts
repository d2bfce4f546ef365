import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@calls/foundation/logger';
import { FileStorage } from '../file-storage.ts';
import type { ObjectStorage } from '../object-storage.ts';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { findTrace } from './replay/traces.ts';
import { StoredTraces } from './stored-traces.ts';

const call = { accountId: 'account', callId: 'call' };
let folder: string;
let clock: VirtualClock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'calls-traces-'));
  clock = new VirtualClock();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (storage: ObjectStorage) => new StoredTraces({ storage, clock, log: silentLogger }).open(call);

const stored = (): Promise<string | null> => findTrace(folder, call.callId);

/** The storage is real, so writes take a while. */
async function storedOf(length: number): Promise<string> {
  for (;;) {
    const text = await stored();
    if (text !== null && text.length >= length) return text;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('StoredTraces', () => {
  it('stores lines within three seconds, during the call', async () => {
    const sink = open(new FileStorage(folder));
    sink.write('one');
    sink.write('two');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await stored()) ?? '').toBe('');
    await clock.advance(3000);
    const text = 'one\ntwo\n';
    expect(await storedOf(text.length)).toBe(text);
    sink.write('three');
    await sink.close();
    expect(await readFile(join(folder, 'traces/account/call.jsonl'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect(await stored()).toBe('one\ntwo\nthree\n');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not trace calls that begin while storage is deferred, and completes the others', async () => {
    let isDeferred = false;
    const storage = new FileStorage(folder);
    const traces = new StoredTraces({ storage, clock, log: silentLogger, isDeferred: () => isDeferred });
    const traced = traces.open(call);
    isDeferred = true;
    const untraced = traces.open({ ...call, callId: 'late' });
    for (const sink of [traced, untraced]) {
      sink.write('one');
      await sink.close();
    }
    expect(await readdir(join(folder, 'traces/account'))).toEqual(['call.jsonl']);
    expect(await stored()).toBe('one\n');
  });

  it('appends to the trace of an earlier session, also a truncated one, and completes it', async () => {
    const traces = new StoredTraces({ storage: new FileStorage(folder), clock, log: silentLogger });
    const first = traces.open(call);
    first.write('one');
    await first.suspend();
    expect(await readdir(join(folder, 'traces/account'))).toHaveLength(1);
    const second = traces.resume(call);
    second.write('two');
    await second.suspend();
    expect(await stored()).toBe('one\n\ntwo\n');
    await traces.finish(call);
    expect(await readFile(join(folder, 'traces/account/call.jsonl'), 'utf8')).toBe('one\n\ntwo\n');
    await traces.finish(call);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not fail the call when the storage fails', async () => {
    await rm(folder, { recursive: true });
    await new FileStorage(join(folder, '..')).put(folder.split('/').at(-1) ?? '', []);
    const sink = open(new FileStorage(folder));
    sink.write('one');
    await clock.advance(3000);
    await sink.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
