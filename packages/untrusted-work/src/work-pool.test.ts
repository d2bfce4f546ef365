import { ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@calls/foundation/logger';
import { raisePriority } from '@calls/foundation/process-priority';
import type { testJobs } from './jobs-for-tests.ts';
import { WorkPool } from './work-pool.ts';

const entry = fileURLToPath(new URL('./jobs-for-tests.ts', import.meta.url));
/** Longer than any test, so that only the limit that a test sets ends its job. */
const AMPLE_MS = 600_000;
const LIMITS = { cpuMs: 300, wallMs: AMPLE_MS, queueMs: AMPLE_MS };
const pools: WorkPool<typeof testJobs>[] = [];

interface Options {
  entry?: string;
  size?: number;
  limits?: typeof LIMITS;
  jobsPerProcess?: number;
}

function open(options: Options = {}) {
  const pool = new WorkPool<typeof testJobs>({
    entry,
    size: 1,
    limits: LIMITS,
    log: silentLogger,
    ...options,
  });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool[Symbol.asyncDispose]();
});

const mine = { owner: 'mine' };
const theirs = { owner: 'theirs' };
const unavailable = { code: 'work_unavailable', retryable: true };

/** Starts a job that runs until the pool ends it. */
async function startWait(pool: WorkPool<typeof testJobs>): Promise<{ end: Promise<unknown> }> {
  const started = Promise.withResolvers<unknown>();
  const end = pool.run('wait', null, { ...mine, onPiece: started.resolve });
  end.catch(started.reject);
  await started.promise;
  return { end };
}

describe('WorkPool', () => {
  it('runs jobs, and passes on what they emit in order', async () => {
    const pool = open();
    const pieces: unknown[] = [];
    const onPiece = (piece: unknown): void => void pieces.push(piece);
    expect(await pool.run('echo', { pieces: 3 }, { ...mine, onPiece })).toBe('done');
    expect(pieces).toEqual([0, 1, 2]);
    expect(await pool.run('pid', null, mine)).not.toBe(process.pid);
  });

  it('gives each job the chunks of its own input', async () => {
    const pool = open();
    const chunks = ['a', 'bc', 'd'].map((text) => Buffer.from(text));
    const joined = [
      pool.run('join', null, { ...mine, chunks }),
      pool.run('join', null, mine),
      pool.run('join', null, { ...theirs, chunks: chunks.slice(1) }),
    ];
    expect(await Promise.all(joined)).toEqual(['abcd', '', 'bcd']);
  });

  it('ends a job that takes too much processor time, and replaces its process', async () => {
    const pool = open();
    const before = await pool.run('pid', null, mine);
    await expect(pool.run('spin', null, mine)).rejects.toMatchObject({
      code: 'too_expensive',
      limit: 'time',
      message: 'is too expensive to evaluate',
    });
    expect(await pool.run('pid', null, mine)).not.toBe(before);
  });

  it('ends a job that takes too much memory, and replaces its process', async () => {
    const pool = open({ limits: { ...LIMITS, cpuMs: AMPLE_MS } });
    await expect(pool.run('hoard', null, mine)).rejects.toMatchObject({
      code: 'too_expensive',
      limit: 'memory',
    });
    expect(await pool.run('echo', { pieces: 0 }, mine)).toBe('done');
  });

  it('ends a job that takes too long without processor time', async () => {
    const pool = open({ limits: { ...LIMITS, cpuMs: AMPLE_MS, wallMs: 50 } });
    await expect(pool.run('wait', null, mine)).rejects.toMatchObject({ limit: 'time' });
  });

  it('passes on the error of a job that rejects its input, and reuses the process', async () => {
    const pool = open();
    const before = await pool.run('pid', null, mine);
    await expect(pool.run('refuse', null, mine)).rejects.toMatchObject({
      code: 'no_good',
      message: 'is no good',
    });
    expect(await pool.run('pid', null, mine)).toBe(before);
  });

  it('reports a bug in a job, or the exit of its process, as an error of that job only', async () => {
    const pool = open();
    await expect(pool.run('reject', null, mine)).rejects.toMatchObject({ code: 'work_unavailable' });
    await expect(pool.run('exit', null, mine)).rejects.toMatchObject({ code: 'work_unavailable' });
    expect(await pool.run('echo', { pieces: 0 }, mine)).toBe('done');
  });

  it('reserves a process for other owners while one owner has many expensive jobs', async () => {
    const pool = open({ size: 2 });
    const ended: string[] = [];
    const spins = Array.from({ length: 4 }, () =>
      pool.run('spin', null, mine).catch(() => void ended.push('mine')),
    );
    const other = pool.run('echo', { pieces: 0 }, theirs).then(() => void ended.push('theirs'));
    await Promise.all([...spins, other]);
    expect(ended.indexOf('theirs')).toBeLessThan(2);
  });

  it('rejects jobs beyond the queue limit of an owner', async () => {
    const pool = open();
    const waiting = Array.from({ length: 129 }, () => pool.run('echo', { pieces: 0 }, mine));
    await expect(pool.run('echo', { pieces: 0 }, mine)).rejects.toMatchObject({
      code: 'work_unavailable',
      retryable: true,
    });
    await expect(pool.run('echo', { pieces: 0 }, theirs)).resolves.toBe('done');
    await Promise.all(waiting);
  });

  it('rejects a job when its signal aborts, and waiting jobs when the pool is disposed', async () => {
    const pool = open();
    const abort = new AbortController();
    const waiting = pool.run('wait', null, { ...mine, signal: abort.signal });
    abort.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    const left = Promise.allSettled([pool.run('wait', null, mine), pool.run('wait', null, mine)]);
    await pool[Symbol.asyncDispose]();
    const rejected = { status: 'rejected', reason: unavailable };
    expect(await left).toMatchObject([rejected, rejected]);
  });

  it('rejects a job when the waiting bytes of its owner exceed the limit', async () => {
    const pool = open();
    const { end } = await startWait(pool);
    const chunks = [Buffer.alloc(33 * 1024 * 1024)];
    const left = Promise.allSettled([end, pool.run('join', null, { ...mine, chunks })]);
    await expect(pool.run('join', null, { ...mine, chunks })).rejects.toMatchObject(unavailable);
    const others = pool.run('join', null, { ...theirs, chunks }).catch(() => 'waited');
    await pool[Symbol.asyncDispose]();
    await left;
    expect(await others).toBe('waited');
  });

  it('rejects a job that waits too long for a process', async () => {
    const pool = open({ limits: { ...LIMITS, queueMs: 50 } });
    const { end } = await startWait(pool);
    await expect(pool.run('pid', null, theirs)).rejects.toMatchObject({
      ...unavailable,
      message: 'the job waited too long',
    });
    await pool[Symbol.asyncDispose]();
    await expect(end).rejects.toMatchObject(unavailable);
  });

  it('reports a job as retryable when its process is killed from outside', async () => {
    const pool = open();
    const pid = await pool.run('pid', null, mine);
    const { end } = await startWait(pool);
    process.kill(pid, 'SIGKILL');
    await expect(end).rejects.toMatchObject(unavailable);
    expect(await pool.run('pid', null, mine)).not.toBe(pid);
  });

  it('continues to use a process that received a stop signal', async () => {
    const pool = open();
    const pid = await pool.run('pid', null, mine);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.kill(pid, signal);
      expect(await pool.run('pid', null, mine)).toBe(pid);
    }
  });

  it('removes a waiting job when its signal aborts, and reuses the process', async () => {
    const pool = open();
    const pid = await pool.run('pid', null, mine);
    const abort = new AbortController();
    const running = pool.run('pid', null, mine);
    const waiting = pool.run('pid', null, { ...mine, signal: abort.signal });
    abort.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    expect(await running).toBe(pid);
    await expect(pool.run('pid', null, { ...mine, signal: abort.signal })).rejects.toThrow('no longer');
    expect(await pool.run('pid', null, mine)).toBe(pid);
  });

  it('prepares one process, which runs the next job', async () => {
    const pool = open({ size: 2 });
    const prototype = ChildProcess.prototype as ChildProcess & { spawn(): void };
    const spawned = jest.spyOn(prototype, 'spawn');
    try {
      pool.prepare();
      pool.prepare();
      expect(spawned).toHaveBeenCalledTimes(1);
      await pool.run('pid', null, mine);
      pool.prepare();
      expect(spawned).toHaveBeenCalledTimes(1);
    } finally {
      spawned.mockRestore();
    }
  });

  it('replaces a prepared process that has exited', async () => {
    const pool = open();
    pool.prepare();
    const pid = await pool.run('pid', null, mine);
    await expect(pool.run('exit', null, mine)).rejects.toMatchObject(unavailable);
    pool.prepare();
    expect(await pool.run('pid', null, mine)).not.toBe(pid);
  });

  it('rejects a job when its process cannot be spawned', async () => {
    const pool = open({ entry: 'no\0path' });
    pool.prepare();
    await expect(pool.run('pid', null, mine)).rejects.toMatchObject(unavailable);
  });

  it('runs its processes at normal priority when the service has a higher one', async () => {
    const before = getPriority();
    try {
      // Has no effect without privileges; the processes have normal priority then, too.
      raisePriority();
      expect(getPriority(await open().run('pid', null, mine))).toBe(0);
    } finally {
      setPriority(before);
    }
  });

  it('replaces a process after the configured number of jobs', async () => {
    const pool = open({ jobsPerProcess: 2 });
    const pids = [];
    for (let job = 0; job < 4; job += 1) pids.push(await pool.run('pid', null, mine));
    expect(new Set(pids).size).toBe(2);
  });
});
