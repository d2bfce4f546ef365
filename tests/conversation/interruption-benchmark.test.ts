import { describe, expect, it } from '@jest/globals';
import {
  interruptionTable,
  readInterruptionOptions,
  type PlayedOverlap,
} from '../bench/interruptions/run-interruptions.ts';

const UNDISTURBED = { cutMs: null, loweredMs: null, silentMs: null, longestPauseMs: 0 };

function played(
  kind: PlayedOverlap['overlap']['kind'],
  outcome: Partial<PlayedOverlap['outcome']>,
): PlayedOverlap {
  return {
    overlap: { id: `${kind}-1`, kind, words: 'yes', echo: null },
    outcome: { ...UNDISTURBED, ...outcome },
  };
}

describe('the benchmark of interruptions', () => {
  it('counts cuts, quick reactions and audible pauses, and lists what went wrong', () => {
    const table = interruptionTable([
      played('word', { loweredMs: 120, silentMs: 700, cutMs: 900 }),
      played('word', { loweredMs: 600, silentMs: 600, longestPauseMs: Infinity }),
      played('backchannel', { loweredMs: 120 }),
      played('backchannel', { loweredMs: 120, silentMs: 700, longestPauseMs: 300 }),
    ]);
    expect(table).toContain('| word | 2 | 50.0 % | 50.0 % | 600 | 700 | 700 | – | – |');
    expect(table).toContain('| backchannel | 2 | 0.0 % | – | – | – | – | 50.0 % | 300 |');
    expect(table).toContain('word-1 "yes": paused Infinity ms; backchannel-1 "yes": paused 300 ms');
  });

  it.each([
    [['--set', 'all'], '--set must be tuning or held-out, not "all"'],
    [['--scale', '2'], '--scale must be from 0.001 to 1, not "2"'],
    [['--interim', 'soon'], '--interim must be from 0 to 10000, not "soon"'],
  ])('rejects the options %j', (args, problem) => {
    expect(() => readInterruptionOptions(args)).toThrow(problem);
  });
});
