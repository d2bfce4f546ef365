import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import type { Reporter } from './reporter.ts';
import { StartProgress } from './start-progress.ts';

describe('StartProgress', () => {
  it('reports every ten seconds the duration and processor time of the start, until it completes', async () => {
    const clock = new VirtualClock();
    const notices: string[] = [];
    const reporter: Reporter = {
      ready: () => undefined,
      notice: (part, text) => void notices.push(`${part} ${text}`),
    };
    const progress = new StartProgress({ name: 'media-worker', pid: process.pid }, reporter, clock);
    await clock.advance(9_999);
    expect(notices).toEqual([]);
    await clock.advance(10_001);
    expect(notices).toEqual([
      expect.stringMatching(/^media-worker still starting after 10 s, \d+\.\d s of processor time used$/u),
      expect.stringMatching(/^media-worker still starting after 20 s/u),
    ]);
    progress[Symbol.dispose]();
    await clock.advance(60_000);
    expect(notices).toHaveLength(2);
  });
});
