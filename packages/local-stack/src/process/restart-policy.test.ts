import { describe, expect, it } from '@jest/globals';
import {
  afterPeers,
  decideRestart,
  noRestarts,
  type RestartPolicy,
  type RestartState,
} from './restart-policy.ts';

const policy: RestartPolicy = { firstDelayMs: 500, maxDelayMs: 3_000, maxRestarts: 4, stableMs: 60_000 };

/** The delays until it gives up, for a process that lives `upMs` each time. */
function delays(upMs: number, rounds: number): (number | 'give-up')[] {
  let state: RestartState = noRestarts;
  const seen: (number | 'give-up')[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const decision = decideRestart(policy, state, upMs);
    seen.push(decision.kind === 'restart' ? decision.delayMs : 'give-up');
    if (decision.kind === 'give-up') break;
    state = decision.state;
  }
  return seen;
}

describe('decideRestart', () => {
  it('waits twice as long each time up to its bound, and gives up after the last restart', () => {
    expect(delays(10, 9)).toEqual([500, 1_000, 2_000, 3_000, 'give-up']);
  });

  it('begins a new row for a process that was stable', () => {
    expect(delays(policy.stableMs, 7)).toEqual(Array.from({ length: 7 }, () => 500));
  });

  it('does not count one millisecond less as stable', () => {
    expect(delays(policy.stableMs - 1, 9)).toContain('give-up');
  });
});

describe('afterPeers', () => {
  it('lets others take over before the first restart, and changes no longer delay', () => {
    expect(afterPeers(policy)).toEqual({ ...policy, firstDelayMs: 2000 });
    expect(afterPeers({ ...policy, maxDelayMs: 500 })).toMatchObject({
      firstDelayMs: 2000,
      maxDelayMs: 2000,
    });
    const slow = { ...policy, firstDelayMs: 2500 };
    expect(afterPeers(slow)).toEqual(slow);
  });
});
