import { expect, it } from '@jest/globals';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { BACKGROUND_LIMIT_MS, BackgroundWork } from './background-work.ts';

function start() {
  const clock = new VirtualClock();
  const background = new BackgroundWork({ clock, log: silentLogger });
  const stop = async (stopped: string[]): Promise<void> => {
    await background[Symbol.asyncDispose]();
    stopped.push(`after ${clock.nowMs()} ms`);
  };
  return { clock, background, stop };
}

it('waits for running work when it is disposed, and for nothing without work', async () => {
  const { clock, background, stop } = start();
  const stopped: string[] = [];
  await stop(stopped);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  background.add(Promise.resolve());
  background.add(promise);
  const stopping = stop(stopped);
  await clock.advance(1000);
  expect(stopped).toEqual(['after 0 ms']);
  resolve(undefined);
  await stopping;
  expect(stopped).toEqual(['after 0 ms', 'after 1000 ms']);
});

it('does not wait longer than its limit', async () => {
  const { clock, background, stop } = start();
  const stopped: string[] = [];
  background.add(new Promise(() => undefined));
  const stopping = stop(stopped);
  await clock.advance(BACKGROUND_LIMIT_MS);
  await stopping;
  expect(stopped).toEqual([`after ${BACKGROUND_LIMIT_MS} ms`]);
});
