import { describe, expect, it } from '@jest/globals';
import {
  withTimeForPeers,
  decideRestart,
  noRestarts,
  type RestartPolicy,
  type RestartState,
} from './restart-policy.ts';

const policy: RestartPolicy = { firstDelayMs: 500, maxDelayMs: 3_000, maxRestarts: 4, stableMs: 60_000 };

/** The delays before each restart until it gives up, for a process that runs for `upMs` each time. */
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
  it('doubles the delay up to its maximum, and gives up after the last restart', () => {
    expect(delays(10, 9)).toEqual([500, 1_000, 2_000, 3_000, 'give-up']);
  });

  it('starts over with the first delay when the process was stable', () => {
    expect(delays(policy.stableMs, 7)).toEqual(Array.from({ length: 7 }, () => 500));
  });

  it('does not treat a process as stable one millisecond too early', () => {
    expect(delays(policy.stableMs - 1, 9)).toContain('give-up');
  });
});

describe('withTimeForPeers', () => {
  it('delays the first restart so that other processes can take over, and does not shorten longer delays', () => {
    expect(withTimeForPeers(policy)).toEqual({ ...policy, firstDelayMs: 2000 });
    expect(withTimeForPeers({ ...policy, maxDelayMs: 500 })).toMatchObject({
      firstDelayMs: 2000,
      maxDelayMs: 2000,
    });
    const slow = { ...policy, firstDelayMs: 2500 };
    expect(withTimeForPeers(slow)).toEqual(slow);
  });
});
