import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { callSpec } from '@calls/testkit/call-spec';
import type { EndDetails } from '../../calls/hosted-call.ts';
import { SipLeg } from './sip-leg.ts';

describe('SipLeg', () => {
  it('reports a duration that steps of the machine clock do not change', async () => {
    const clock = new VirtualClock();
    const dialledAtMs = clock.wallMs();
    let details = (): EndDetails => ({});
    const call = { spec: callSpec(), endsWith: (ofCall: () => EndDetails) => void (details = ofCall) };
    const leg = new SipLeg(call, dialledAtMs, clock);
    clock.setWallClock(3_600_000);
    await clock.advance(5000);
    expect(details()).toMatchObject({ sip: { dialledAtMs: leg.dialledAtMs, durationMs: 5000 } });
  });
});
