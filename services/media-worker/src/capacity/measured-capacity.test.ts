import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@calls/foundation/logger';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { requireQuick } from '@calls/testkit/long-form';
import { measureCost } from './measure-cost.ts';
import { measureCapacity } from './measured-capacity.ts';

describe('capacity measurement', () => {
  it('takes little time, returns plausible values and leaves no open handles', async () => {
    await using voiceActivity = await createSileroEngine({ log: silentLogger });
    const handles = process.getActiveResourcesInfo().length;
    const startMs = performance.now();
    const { frameUs, windowUs } = await measureCost(voiceActivity);
    requireQuick(performance.now() - startMs, 2000);
    expect(frameUs).toBeGreaterThan(5);
    expect(frameUs).toBeLessThan(5000);
    expect(windowUs).toBeGreaterThan(5);
    expect(windowUs).toBeLessThan(5000);
    const options = { voiceActivity, workers: 1, log: silentLogger };
    const { calls } = await measureCapacity({ ...options, medium: 'telephony' });
    expect(calls).toBeGreaterThanOrEqual(30);
    // The kernel closes both ends of the sockets asynchronously.
    while (process.getActiveResourcesInfo().length > handles) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});
