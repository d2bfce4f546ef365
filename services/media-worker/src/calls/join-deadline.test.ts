import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { SET_UP_EXTENSION_MS } from '@calls/api-contract/call-lifetime';
import { JoinDeadline } from './join-deadline.ts';

const LIMIT_MS = 10_000;

function start(limits: { maxMs?: number } = {}) {
  const clock = new VirtualClock();
  const endings: number[] = [];
  const startedMs = clock.nowMs();
  const onOver = (): void => void endings.push(clock.nowMs() - startedMs);
  const deadline = new JoinDeadline(clock, { limitMs: LIMIT_MS, ...limits }, onOver);
  const settingUp = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<null>();
    deadline.extendWhile(promise);
    return () => resolve(null);
  };
  return { clock, deadline, endings, settingUp };
}

describe('JoinDeadline', () => {
  it('passes once, at its limit, when no client is setting up media', async () => {
    const { clock, endings, settingUp } = start();
    settingUp()();
    await clock.advance(3 * LIMIT_MS);
    expect(endings).toEqual([LIMIT_MS]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('passes immediately when it is overdue', async () => {
    const clock = new VirtualClock();
    let passed = 0;
    void new JoinDeadline(clock, { limitMs: -5 }, () => void (passed += 1));
    await clock.advance(0);
    expect(passed).toBe(1);
  });

  it('is extended while media is being set up, until the last set-up fails', async () => {
    const { clock, endings, settingUp } = start();
    const failures = [settingUp(), settingUp()];
    await clock.advance(LIMIT_MS + 1000);
    failures[0]?.();
    await clock.advance(1000);
    expect(endings).toEqual([]);
    failures[1]?.();
    await clock.advance(0);
    expect(endings).toEqual([LIMIT_MS + 2000]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is extended by the extension only, whatever is being set up then', async () => {
    const { clock, endings, settingUp } = start();
    const first = settingUp();
    await clock.advance(LIMIT_MS + 1000);
    settingUp();
    first();
    await clock.advance(SET_UP_EXTENSION_MS);
    expect(endings).toEqual([LIMIT_MS + SET_UP_EXTENSION_MS]);
  });

  it('is never extended beyond its maximum', async () => {
    for (const maxMs of [LIMIT_MS - 1, LIMIT_MS, LIMIT_MS + 1]) {
      const { clock, endings, settingUp } = start({ maxMs });
      settingUp();
      await clock.advance(2 * LIMIT_MS);
      expect(endings).toEqual([maxMs]);
    }
  });

  it('does not pass after it is cancelled', async () => {
    const { clock, deadline, endings, settingUp } = start();
    const failed = settingUp();
    await clock.advance(LIMIT_MS + 1000);
    deadline.cancel();
    failed();
    await clock.advance(LIMIT_MS);
    expect(endings).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
