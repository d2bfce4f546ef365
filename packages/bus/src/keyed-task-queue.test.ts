import { describe, expect, it } from '@jest/globals';
import { KeyedTaskQueue } from './keyed-task-queue.ts';

interface Gate {
  name: string;
  open: () => void;
}

function harness(concurrency: number) {
  const chains = new KeyedTaskQueue(concurrency);
  const started: Gate[] = [];
  const add = (key: string, name: string): void =>
    chains.add(key, () => new Promise((resolve) => started.push({ name, open: resolve })));
  const names = () => started.map((gate) => gate.name);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const open = async (name: string) => {
    started.find((gate) => gate.name === name)?.open();
    await settle();
  };
  return { chains, add, names, open };
}

describe('KeyedTaskQueue', () => {
  it('runs tasks of one key in order and different keys concurrently', async () => {
    const { chains, add, names, open } = harness(8);
    add('a', 'a1');
    add('a', 'a2');
    add('b', 'b1');
    expect(names()).toEqual(['a1', 'b1']);
    await open('b1');
    expect(names()).toEqual(['a1', 'b1']);
    await open('a1');
    expect(names()).toEqual(['a1', 'b1', 'a2']);
    expect(chains.size).toBe(1);
  });

  it('limits the number of concurrent tasks, and alternates between keys', async () => {
    const { add, names, open } = harness(1);
    add('a', 'a1');
    add('a', 'a2');
    add('b', 'b1');
    await open('a1');
    expect(names()).toEqual(['a1', 'b1']);
    await open('b1');
    expect(names()).toEqual(['a1', 'b1', 'a2']);
  });

  it('resolves `idle` when no task waits or runs', async () => {
    const { chains, add, open } = harness(2);
    add('a', 'a1');
    let idle = false;
    const waiting = chains.idle().then(() => {
      idle = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(idle).toBe(false);
    await open('a1');
    await waiting;
    expect(idle).toBe(true);
    await chains.idle();
  });
});
