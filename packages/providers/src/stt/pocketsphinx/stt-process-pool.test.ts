import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { SttProcessPool, type PooledSttProcess } from './stt-process-pool.ts';
import type { Decoded, SttProcessEnd } from './stt-process.ts';

const TIMEOUT_MS = 2000;
const SECOND = new Uint8Array(32_000);
const never = new AbortController().signal;

/** An STT process whose progress and CPU time the test controls. */
class TestSttProcess implements PooledSttProcess {
  isAlive = true;
  cpu = 0;
  /** Whether its CPU time has grown each time that it is read. */
  works = true;
  asked: { resolve: (decoded: Decoded) => void; reject: (err: Error) => void }[] = [];
  readonly #end = Promise.withResolvers<SttProcessEnd>();
  readonly end = this.#end.promise;

  decode(): Promise<Decoded> {
    return new Promise((resolve, reject) => this.asked.push({ resolve, reject }));
  }

  cpuMs(): Promise<number | null> {
    if (this.works) this.cpu += 10;
    return Promise.resolve(this.cpu);
  }

  kill(): void {
    this.isAlive = false;
    const err = new ProviderError('test', 'cut', 'killed');
    this.asked.at(-1)?.reject(err);
    this.#end.resolve({ err, hadWorked: true });
  }
}

let clock: VirtualClock;
let started: TestSttProcess[];
let pool: SttProcessPool;
beforeEach(async () => {
  clock = new VirtualClock();
  started = [];
  pool = new SttProcessPool({
    processes: 1,
    maxWaiting: 10,
    timeoutMs: TIMEOUT_MS,
    start: () => {
      const sttProcess = new TestSttProcess();
      started.push(sttProcess);
      return Promise.resolve(sttProcess);
    },
    clock,
    log: silentLogger,
  });
  pool.warmUp();
  await clock.advance(0);
});
afterEach(async () => {
  await pool[Symbol.asyncDispose]();
  expect(clock.pendingTimers).toBe(0);
});

describe('SttProcessPool', () => {
  it('does not replace a process that is slow because the machine is busy', async () => {
    const late = pool.recognise(SECOND, never);
    const timedOut = expect(late).rejects.toMatchObject({ kind: 'timeout' });
    await clock.advance(4 * TIMEOUT_MS);
    await timedOut;
    started[0]?.asked[0]?.resolve({ text: 'too late', cpuMs: 300 });
    const next = pool.recognise(SECOND, never);
    await clock.advance(100);
    started[0]?.asked[1]?.resolve({ text: 'hello', cpuMs: 100 });
    expect(await next).toBe('hello');
    expect(started).toHaveLength(1);
  });

  it('replaces a process that makes no progress or never finishes', async () => {
    started[0]!.works = false;
    const hanging = expect(pool.recognise(SECOND, never)).rejects.toMatchObject({ kind: 'timeout' });
    await clock.advance(TIMEOUT_MS + 1);
    await hanging;
    expect(started).toHaveLength(2);
    const endless = expect(pool.recognise(SECOND, never)).rejects.toMatchObject({ kind: 'timeout' });
    await clock.advance(1);
    started[1]!.cpu += 60_000;
    await clock.advance(TIMEOUT_MS + 1);
    await endless;
    expect(started).toHaveLength(3);
  });

  it('replaces the process after each cancelled long utterance, without a limit', async () => {
    const long = new Uint8Array(20 * SECOND.length);
    for (let i = 0; i < 50; i += 1) {
      const abort = new AbortController();
      const givenUp = expect(pool.recognise(long, abort.signal)).rejects.toThrow('superseded');
      await clock.advance(1);
      abort.abort(new Error('superseded'));
      await givenUp;
      await clock.advance(1);
    }
    const transcript = pool.recognise(SECOND, never);
    await clock.advance(1);
    started.at(-1)?.asked[0]?.resolve({ text: 'hello', cpuMs: 100 });
    expect(await transcript).toBe('hello');
  });

  it('reports for some seconds how much later transcripts arrive than their CPU time explains', async () => {
    expect(pool.latenessMs).toBe(0);
    const [first, second] = [pool.recognise(SECOND, never), pool.recognise(SECOND, never)];
    await clock.advance(900);
    expect(pool.latenessMs).toBe(900);
    started[0]?.asked[0]?.resolve({ text: 'one', cpuMs: 200 });
    expect(await first).toBe('one');
    await clock.advance(300);
    started[0]?.asked[1]?.resolve({ text: 'two', cpuMs: 200 });
    expect(await second).toBe('two');
    expect(pool.latenessMs).toBe(1000);
    await clock.advance(5001);
    expect(pool.latenessMs).toBe(0);
  });
});
