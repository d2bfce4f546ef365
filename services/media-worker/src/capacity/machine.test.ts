import { availableParallelism } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { coresOfCpuMax, readMachine } from './machine.ts';

describe('machine resources', () => {
  it.each([
    ['50000 100000\n', 0.5],
    ['400000 100000\n', 4],
    ['max 100000\n', Infinity],
    ['0 100000', Infinity],
    ['', Infinity],
    ['rubbish', Infinity],
  ])('has the cores of the quota %j', (cpuMax, cores) => {
    expect(coresOfCpuMax(cpuMax)).toBe(cores);
  });

  it('are read from the current machine', () => {
    const { cores, availableBytes } = readMachine();
    expect(cores).toBeGreaterThan(0);
    expect(cores).toBeLessThanOrEqual(availableParallelism());
    expect(availableBytes).toBeGreaterThan(1024 * 1024);
  });
});
