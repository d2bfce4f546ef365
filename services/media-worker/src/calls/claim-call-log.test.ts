import { describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody, CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { CallLogMovedError } from '@calls/bus/bus-error';
import type { StoredCallLogEntry } from '@calls/bus/call-log';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { HANDED_OVER, claimCallLog } from './claim-call-log.ts';

const STAGE = stageSpec();

function create(bodies: CallLogEntryBody[], overrides: Partial<CallSpec> = {}) {
  const clock = new VirtualClock();
  const spec = callSpec(overrides);
  const { callId, accountId } = spec;
  const log: CallLogEntry[] = bodies.map((body, i) => ({
    callId,
    accountId,
    seq: i + 1,
    epoch: 1,
    wallClockMs: i * 1000,
    body,
  }));
  const reads: number[] = [];
  const callLogs = {
    read: (_: string, after = 0) => {
      reads.push(after);
      const stored = log.map((event, i): StoredCallLogEntry => ({ event, position: i + 1 }));
      return Promise.resolve(stored.slice(after));
    },
    append: (event: CallLogEntry, after?: number) => {
      if (after !== log.length) return Promise.reject(new CallLogMovedError(callId));
      return Promise.resolve(log.push(event));
    },
  };
  const lease = { callId, workerId: 'w2', epoch: 2 };
  return {
    log,
    /** The positions after which the log was read. */
    reads,
    claim: (
      resolve: () => Promise<typeof STAGE> = () => Promise.resolve(STAGE),
      known: readonly StoredCallLogEntry[] = [],
      isComplete = false,
    ) => {
      const deps = { callLogs, stages: { resolve }, clock, log: silentLogger };
      return claimCallLog(deps, spec, lease, { known, isComplete });
    },
  };
}

const joined: CallLogEntryBody = { type: 'joined', clientVersion: null, workerId: 'w1' };
const laterStage: CallLogEntryBody = {
  type: 'stage_began',
  stageId: newId(),
  messageCount: 0,
};

describe('claimCallLog', () => {
  it('does not write to the log when the conversation cannot be rebuilt', async () => {
    const { log, claim } = create([joined, laterStage]);
    await expect(claim(() => Promise.reject(new Error('no control-plane')))).rejects.toThrow(
      'no control-plane',
    );
    expect(log).toHaveLength(2);
    await expect(claim()).resolves.toMatchObject({ after: { seq: 3 }, resumeFrom: { lostAtMs: 1000 } });
    expect(log.at(-1)).toMatchObject({ epoch: 2, body: { type: 'taken_over', workerId: 'w2' } });
  });

  it('does not read the known entries again', async () => {
    const { log, reads, claim } = create([joined, laterStage]);
    const known = [{ event: log[0]!, position: 1 }];
    await expect(claim(undefined, known)).resolves.toMatchObject({ after: { seq: 3 }, resumeFrom: {} });
    expect(reads).toEqual([1]);
  });

  it('does not read the log when the known entries are complete, unless its earlier owner has written since', async () => {
    const { log, reads, claim } = create([joined, laterStage]);
    const known = log.map((event, i) => ({ event, position: i + 1 }));
    log.push({ ...log[1]!, seq: 3 });
    await expect(claim(undefined, known, true)).resolves.toMatchObject({ after: { seq: 4 }, resumeFrom: {} });
    expect(reads).toEqual([2]);
    const other = create([joined]);
    await other.claim(undefined, [{ event: other.log[0]!, position: 1 }], true);
    expect(other.reads).toEqual([]);
  });

  it('reads again when the earlier owner has written in the meantime', async () => {
    const { log, reads, claim } = create([joined, laterStage]);
    const late = { ...log[0]!, seq: 3, wallClockMs: 5000, body: laterStage };
    let asked = 0;
    const taken = await claim(() => {
      asked += 1;
      if (asked === 1) log.push(late);
      return Promise.resolve(STAGE);
    });
    expect(asked).toBe(2);
    expect(reads).toEqual([0, 2]);
    expect(taken).toMatchObject({
      after: { seq: 4 },
      resumeFrom: { lostAtMs: 5000, isHandedOver: false },
    });
  });

  it('distinguishes a handover from a failure by the last entry of the earlier owner', async () => {
    const event = { severity: 'info', eventType: HANDED_OVER, text: '', extras: null } as const;
    const handedOver = { type: 'noted', stageId: STAGE.stageId, callTimestampMs: 0, ...event } as const;
    const { claim } = create([joined, handedOver, { type: 'taken_over', workerId: 'w3' }]);
    await expect(claim()).resolves.toMatchObject({ resumeFrom: { isHandedOver: true } });
  });

  it('ends a joined call with zero retention with a single entry', async () => {
    const { log, claim } = create([joined, laterStage], { retention: 'zdr' });
    await expect(claim()).resolves.toBe('over');
    expect(log).toHaveLength(3);
    expect(log.at(-1)).toMatchObject({
      seq: 3,
      epoch: 2,
      wallClockMs: 1000,
      body: { type: 'ended', endReason: 'system_error', joinedAtMs: 0 },
    });
    await expect(claim()).resolves.toBe('over');
    expect(log).toHaveLength(3);
  });
});
