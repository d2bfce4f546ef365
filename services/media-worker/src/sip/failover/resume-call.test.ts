import { describe, expect, it } from '@jest/globals';
import { sipCallStateValidator, type SipCallState } from '@calls/api-contract/bus/stored-dialog';
import { createDialogSeal } from '@calls/bus/call-seal';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec, sipSpec } from '@calls/testkit/call-spec';
import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import type { CallRelease } from '../../calls/call-phase.ts';
import type { MovedLeg, MoveOutcome } from './moved-leg.ts';
import { resumeCall } from './resume-call.ts';
import { SipCallRecord } from '../leg/sip-call-record.ts';
import { FakeDialog } from '../testing/fake-dialog.ts';
import { singleWorkerBus } from '../testing/single-worker-bus.ts';

const seal = createDialogSeal(['secret of the test workers']);
const MEDIA: SipCallState['media'] = {
  ...{ sessionId: 1, version: 3, isEncrypted: false, isSecureProfile: false },
  voice: { payloadType: 0, codec: 'PCMU' },
};
const unused = (): never => {
  throw new Error('not used here');
};

class FakeResumedDialog extends FakeDialog {
  move = unused;
}

/** A resumed call. Its peer has not responded to the re-INVITE of this worker yet. */
function resumed() {
  const clock = new VirtualClock();
  const { dialogs, records } = singleWorkerBus();
  const spec = callSpec({
    medium: sipSpec({ to: 'sip:ann@pbx.test' }),
  });
  const { promise: callReleased, resolve: leave } = Promise.withResolvers<CallRelease>();
  const { promise: outcome, resolve: answer } = Promise.withResolvers<MoveOutcome>();
  const dialog = new FakeResumedDialog();
  const media: MovedLeg['media'] = {
    ...{ answer: unused, offer: unused, reoffer: unused, sendSilence: unused, takeAnswer: unused },
    ...{ useCodecs: unused, transport: unused },
    snapshot: () => ({ ...MEDIA, voice: null, version: 1003 }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const released = resumeCall(
    {
      clock,
      holds: unused,
      invite: unused,
      logs: { claim: unused, follow: () => undefined, join: unused, take: () => null },
      meter: { ended: () => undefined, refused: unused },
      record: (lease, state, log) => new SipCallRecord({ dialogs, seal, lease, state, clock, log }),
      storeLog: () => Promise.resolve(),
    },
    {
      lease: { callId: spec.callId, workerId: 'w2', epoch: 2 },
      spec,
      released: callReleased,
      end: (reason) => leave({ kind: 'ended', reason }),
      endsWith: () => undefined,
      join: unused,
      note: unused,
    },
    { dialog, media, outcome },
    { dialledAtMs: 5, media: MEDIA },
    silentLogger,
  );
  return { callId: spec.callId, records, dialog, leave, answer, released };
}

describe('resumeCall', () => {
  it('stores the state before the peer has responded, so that a third worker can continue the call', async () => {
    const { callId, records, dialog, leave, answer, released } = resumed();
    await settle();
    const stored = records.get(callId);
    expect(stored?.epoch).toBe(2);
    const state = sipCallStateValidator.parse(JSON.parse(seal.open(stored!).state));
    expect(state).toMatchObject({ dialledAtMs: 5, media: { ...MEDIA, version: 1003 } });
    leave({ kind: 'handed_over' });
    answer({ kind: 'ended' });
    await released;
    expect([dialog.byes, records.has(callId)]).toEqual([0, true]);
  });

  it('deletes the state when the peer refuses to continue the call', async () => {
    const { callId, records, dialog, answer, released } = resumed();
    await settle();
    expect(records.has(callId)).toBe(true);
    dialog.end('remote');
    answer({ kind: 'ended' });
    await released;
    expect(records.has(callId)).toBe(false);
  });
});
