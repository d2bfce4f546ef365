import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VAD_WINDOW_MS, VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';
import { MAX_VAD_LAG_MS, WindowScorer } from './window-scorer.ts';

const MAX_WAITING = MAX_VAD_LAG_MS / VAD_WINDOW_MS;
const silence = new Int16Array(VAD_WINDOW_SAMPLES);
const loud = silence.map((_, i) => (i % 2 === 0 ? 8000 : -8000));

interface Asked {
  resolve: (probability: number) => void;
  reject: (error: Error) => void;
}

let asked: Asked[];
let judged: [number, number][];
let errors: string[];
let judge: WindowScorer;
beforeEach(() => {
  asked = [];
  judged = [];
  errors = [];
  judge = new WindowScorer({
    detector: {
      push: () => new Promise((resolve, reject) => asked.push({ resolve, reject })),
      reset: () => undefined,
      close: () => undefined,
    },
    onProbability: (probability, arrivedMs) => judged.push([probability, arrivedMs]),
    onError: ({ message }) => errors.push(message),
  });
});
afterEach(() => judge.close());

const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

describe('WindowScorer', () => {
  it("reports windows in order whatever the detector's order", async () => {
    for (let i = 0; i < 3; i += 1) judge.push(silence, i);
    asked[2]?.resolve(0.3);
    asked[1]?.reject(new Error('too many windows wait'));
    await settled();
    expect(judged).toEqual([]);
    asked[0]?.resolve(0.1);
    await settled();
    expect(judged).toEqual([
      [0.1, 0],
      [0, 1],
      [0.3, 2],
    ]);
  });

  it('uses energy for windows the detector rejects and reports the error once', async () => {
    for (const window of [silence, loud, loud, silence]) judge.push(window, 0);
    for (const { reject } of asked) reject(new Error('too many windows wait'));
    await settled();
    expect(judged.map(([probability]) => probability)).toEqual([0, 1, 1, 0]);
    expect(errors).toEqual(['too many windows wait']);
  });

  it('stays within its lag limit and scores each window once', async () => {
    for (let i = 0; i < MAX_WAITING; i += 1) judge.push(i === 0 ? loud : silence, i);
    expect(judged).toEqual([]);
    judge.push(silence, MAX_WAITING);
    expect(judged).toEqual([[1, 0]]);
    for (const { resolve } of asked) resolve(0.5);
    await settled();
    expect(judged.map(([, arrivedMs]) => arrivedMs)).toEqual([...Array(MAX_WAITING + 1).keys()]);
    expect(judged.slice(1).every(([probability]) => probability === 0.5)).toBe(true);
  });

  it('reports nothing after close', async () => {
    judge.push(loud, 0);
    judge.close();
    asked[0]?.resolve(1);
    judge.push(loud, 1);
    await settled();
    expect(judged).toEqual([]);
  });
});
