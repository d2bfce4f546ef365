import { describe, expect, it } from '@jest/globals';
import { VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';
import { BatchBuffer } from './batch-buffer.ts';
import type { BatchToRun } from './messages.ts';
import { WindowBatcher } from './window-batcher.ts';

const windowOf = (value: number): Int16Array => new Int16Array(VAD_WINDOW_SAMPLES).fill(value);

/** A batcher whose model returns the first sample of a window as its score. */
function setUp(maxBatch = 4, maxPendingPerDetector = 8) {
  const batcher = new WindowBatcher({ maxBatch, maxPendingPerDetector });
  const buffers = batcher.memories.map((memory) => new BatchBuffer(maxBatch, memory));
  const run = ({ batch, count }: BatchToRun): { slot: number; fresh: boolean; value: number }[] => {
    const buffer = buffers[batch]!;
    return Array.from({ length: count }, (_, entry) => {
      const value = buffer.windows[entry * VAD_WINDOW_SAMPLES]!;
      buffer.probabilities[entry] = value;
      return { slot: buffer.slots[entry]!, fresh: buffer.fresh[entry] === 1, value };
    });
  };
  const runAll = (): { slot: number; fresh: boolean; value: number }[][] => {
    const runs = [];
    while (batcher.waitingWindows > 0) {
      runs.push(run(batcher.start()));
      batcher.finish();
    }
    return runs;
  };
  return { batcher, run, runAll };
}

describe('WindowBatcher', () => {
  it('fills each batch with waiting windows in order, also with several windows of one call', async () => {
    const { batcher, runAll } = setUp(2);
    const [a, b, c] = [batcher.open(), batcher.open(), batcher.open()];
    const answers = [
      batcher.add(a, windowOf(1)),
      batcher.add(a, windowOf(2)),
      batcher.add(b, windowOf(3)),
      batcher.add(c, windowOf(4)),
      batcher.add(a, windowOf(5)),
    ];
    expect(runAll().map((entries) => entries.map(({ value }) => value))).toEqual([[1, 2], [3, 4], [5]]);
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5]);
  });

  it('fills one batch while the other runs', async () => {
    const { batcher, run } = setUp();
    const detector = batcher.open();
    const first = batcher.add(detector, windowOf(1));
    const request = batcher.start();
    const second = batcher.add(detector, windowOf(2));
    expect(batcher.waitingWindows).toBe(1);
    run(request);
    batcher.finish();
    expect(await first).toBe(1);
    run(batcher.start());
    batcher.finish();
    expect(await second).toBe(2);
  });

  it('resets the detector state only at the first window, after a reset and after an error', () => {
    const { batcher, runAll } = setUp();
    const detector = batcher.open();
    const add = (): void => void batcher.add(detector, windowOf(0)).catch(() => undefined);
    add();
    add();
    detector.mustReset = true;
    add();
    add();
    expect(
      runAll()
        .flat()
        .map(({ fresh }) => fresh),
    ).toEqual([true, false, true, false]);
    add();
    batcher.start();
    batcher.fail(new Error('thread ended'));
    add();
    add();
    expect(
      runAll()
        .flat()
        .map(({ fresh }) => fresh),
    ).toEqual([true, false]);
  });

  it('reuses the slot of a closed detector only when no running batch contains it', async () => {
    const { batcher, run, runAll } = setUp();
    const one = batcher.open();
    const rejected = expect(batcher.add(one, windowOf(1))).rejects.toThrow('closed');
    const request = batcher.start();
    batcher.close(one, new Error('closed'));
    await rejected;
    const two = batcher.open();
    expect(two.slot).not.toBe(one.slot);
    run(request);
    batcher.finish();
    expect(batcher.open().slot).toBe(one.slot);
    const answer = batcher.add(two, windowOf(2));
    expect(runAll()).toEqual([[{ slot: two.slot, fresh: true, value: 2 }]]);
    expect(await answer).toBe(2);
  });

  it('frees the slots of closed detectors', async () => {
    const { batcher, runAll } = setUp();
    for (let call = 0; call < 1000; call += 1) {
      const detector = batcher.open();
      expect(detector.slot).toBe(0);
      const answers = [batcher.add(detector, windowOf(1)), batcher.add(detector, windowOf(2))];
      if (call % 2 === 0) runAll();
      batcher.close(detector, new Error('closed'));
      runAll();
      await Promise.allSettled(answers);
    }
  });

  it('rejects a window beyond the limit, and all pending windows after an error', async () => {
    const { batcher, runAll } = setUp(4, 3);
    const detector = batcher.open();
    const answers = [1, 2, 3, 4].map((value) => batcher.add(detector, windowOf(value)));
    await expect(answers[3]).rejects.toMatchObject({ kind: 'timeout' });
    batcher.fail(new Error('thread ended'));
    const outcomes = await Promise.allSettled(answers);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
    const again = batcher.add(detector, windowOf(7));
    runAll();
    expect(await again).toBe(7);
  });
});
