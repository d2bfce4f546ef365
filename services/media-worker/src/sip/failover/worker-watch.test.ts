import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { rankOf } from './sip-failover.ts';
import {
  PING_LIMIT_MS,
  HEARTBEAT_EVERY_MS,
  SETTLED_MS,
  SILENT_AFTER_MS,
  WorkerWatch,
} from './worker-watch.ts';

let clock: VirtualClock;
let lost: string[];
let pauses: number;
let pings: string[];
let sent: number;
let connectedForMs: number;
/** Whether the bus delivers heartbeats in time. */
let isBusFast: boolean;
/** How long this process was suspended. */
let pausedMs: number;
/** How the other worker responds to pings: immediately, never, or no such worker exists. */
let response: 'alive' | 'frozen' | 'dead';
let watch: WorkerWatch;

beforeEach(() => {
  clock = new VirtualClock();
  [lost, pings, pauses, sent, connectedForMs, pausedMs, response] = [[], [], 0, 0, Infinity, 0, 'dead'];
  isBusFast = true;
  watch = new WorkerWatch({
    workerId: 'own',
    heartbeats: {
      send(heartbeat) {
        sent += 1;
        if (isBusFast) void clock.setTimer(1, () => watch.received(heartbeat));
      },
      async isAlive(workerId, limitMs) {
        pings.push(workerId);
        if (response === 'frozen')
          await new Promise<void>((resolve) => void clock.setTimer(limitMs, resolve));
        return response === 'alive';
      },
    },
    connection: {
      get connectedForMs() {
        return connectedForMs;
      },
    },
    takesCalls: () => true,
    onLost: (workerId) => lost.push(workerId),
    onPaused: () => void (pauses += 1),
    clock: {
      nowMs: () => clock.nowMs() + pausedMs,
      wallMs: () => clock.wallMs() + pausedMs,
      setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
    },
  });
});

async function run(ms: number, live: readonly string[] = []): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 50) {
    if (leftMs % HEARTBEAT_EVERY_MS === 0)
      for (const workerId of live) watch.received({ workerId, takesCalls: true });
    await clock.advance(50);
    await settle();
  }
}

describe('WorkerWatch', () => {
  it('sends heartbeats, and does not ping workers that send heartbeats', async () => {
    await run(5000, ['own', 'a', 'b']);
    expect([sent, pings, lost]).toEqual([1 + 5000 / HEARTBEAT_EVERY_MS, [], []]);
    expect(watch.candidates().sort()).toEqual(['a', 'b', 'own']);
  });

  it('reports a silent worker that is dead immediately and once', async () => {
    await run(1000, ['a', 'b']);
    await run(SILENT_AFTER_MS + 2 * HEARTBEAT_EVERY_MS, ['b']);
    expect([pings, lost]).toEqual([['a'], ['a']]);
    await run(5000, ['b']);
    expect(lost).toEqual(['a']);
    expect(watch.candidates().sort()).toEqual(['b', 'own']);
    expect(['a', 'b', 'c'].map((each) => watch.livenessOf(each))).toEqual(['lost', 'alive', 'unknown']);
    await run(HEARTBEAT_EVERY_MS, ['a']);
    expect(watch.livenessOf('a')).toBe('alive');
  });

  it('reports a silent worker after the ping timeout when it does not respond', async () => {
    response = 'frozen';
    await run(1000, ['a']);
    await run(SILENT_AFTER_MS);
    expect(lost).toEqual([]);
    await run(PING_LIMIT_MS + 2 * HEARTBEAT_EVERY_MS);
    expect([pings, lost]).toEqual([['a'], ['a']]);
  });

  it('uses the ping timeout that a worker states in its heartbeat', async () => {
    response = 'frozen';
    await run(1000);
    watch.received({ workerId: 'a', takesCalls: true, pingLimitMs: 200 });
    await run(SILENT_AFTER_MS + HEARTBEAT_EVERY_MS);
    expect([pings, lost]).toEqual([['a'], []]);
    await run(200);
    expect(lost).toEqual(['a']);
  });

  it('does not report a silent worker that responds, or that sends a heartbeat during the ping', async () => {
    response = 'alive';
    await run(1000, ['a']);
    await run(3000);
    expect(lost).toEqual([]);
    response = 'frozen';
    await run(SILENT_AFTER_MS + HEARTBEAT_EVERY_MS);
    await run(2000, ['a']);
    expect(lost).toEqual([]);
  });

  it('reports no worker as lost while the bus is disconnected or has just reconnected', async () => {
    await run(1000, ['a']);
    connectedForMs = 0;
    await run(10_000);
    connectedForMs = SETTLED_MS - 1;
    await run(500);
    expect([pings, lost]).toEqual([[], []]);
    connectedForMs = SETTLED_MS;
    await run(1000);
    expect(lost).toEqual(['a']);
  });

  it('reports no worker as lost while the bus does not deliver own heartbeats either', async () => {
    response = 'frozen';
    await run(1000, ['a']);
    isBusFast = false;
    await run(10_000);
    isBusFast = true;
    await run(1000, ['a']);
    expect(lost).toEqual([]);
    await run(2000);
    expect(lost).toEqual(['a']);
  });

  it('reports a dead worker while this process runs only every 300 ms', async () => {
    await run(1000, ['a']);
    for (let tick = 0; tick < 5; tick += 1) {
      pausedMs += 200;
      await run(100);
    }
    expect(lost).toEqual(['a']);
  });

  it('reports a pause of its own process, and restarts the timeouts of other workers', async () => {
    await run(1000, ['a']);
    pausedMs = 5000;
    await run(HEARTBEAT_EVERY_MS);
    expect([pauses, lost]).toEqual([1, []]);
    await run(1000);
    expect(lost).toEqual(['a']);
  });

  it('reports an expected worker that sends no heartbeat', async () => {
    watch.expect('of yesterday');
    expect(watch.candidates()).toEqual(['own']);
    await run(1000);
    expect(lost).toEqual(['of yesterday']);
  });
});

describe('rankOf', () => {
  it('gives each worker a different rank, consistent across workers, and spreads calls', () => {
    const workers = ['a', 'b', 'c'];
    const firsts = Array.from({ length: 30 }, (_, i) => {
      const ranks = workers.map((worker) => rankOf(worker, `call ${i}`, workers.toReversed()));
      expect(ranks.toSorted()).toEqual([0, 1, 2]);
      return workers[ranks.indexOf(0)];
    });
    expect(new Set(firsts)).toEqual(new Set(workers));
  });
});
