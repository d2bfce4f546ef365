import { describe, expect, it } from '@jest/globals';
import type { ScenarioResult } from '../run-scenario.ts';
import { runAll } from './run-all.ts';

describe('runAll', () => {
  it('reports results in the order of the scenarios, at most `parallel` at a time', async () => {
    const reported: string[] = [];
    const finish = new Map<string, () => void>();
    const playing: string[] = [];
    const run = async (name: string): Promise<ScenarioResult> => {
      playing.push(name);
      await new Promise<void>((resolve) => finish.set(name, resolve));
      return { name, status: 'passed', findings: [], record: null, recording: null };
    };
    const results = runAll(['a', 'b', 'c'], 2, run, ({ name }) => reported.push(name));
    expect(playing).toEqual(['a', 'b']);
    finish.get('b')?.();
    await new Promise(setImmediate);
    expect(playing).toEqual(['a', 'b', 'c']);
    expect(reported).toEqual([]);
    finish.get('a')?.();
    await new Promise(setImmediate);
    expect(reported).toEqual(['a', 'b']);
    finish.get('c')?.();
    expect((await results).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(reported).toEqual(['a', 'b', 'c']);
  });
});
