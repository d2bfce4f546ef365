import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';
import { systemClock } from './clock.ts';
import { silentLogger } from './logger.ts';
import { MonitoredThread } from './monitored-thread.ts';

const REPORT = `
  const { parentPort } = require('node:worker_threads');
  const { getHeapSpaceStatistics } = require('node:v8');
  parentPort.postMessage(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
  setInterval(() => 0, 1000);`;

it('starts threads without the young generation that flags of the process give its main thread', async () => {
  setFlagsFromString('--min-semi-space-size=16');
  let youngBytes = Infinity;
  await using _thread = await MonitoredThread.start({
    name: 'test',
    start: () => new Worker(REPORT, { eval: true }),
    onReady: (bytes) => {
      youngBytes = bytes as number;
    },
    onMessage: () => undefined,
    onLost: () => undefined,
    log: silentLogger,
    clock: systemClock,
  });
  expect(youngBytes).toBeLessThan(8 * 1024 * 1024);
});
