import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Delivery } from '../chaos/callback-ledger.ts';
import type { CallerReport } from '../chaos/caller-report.ts';
import { readChaosOptions } from '../chaos/chaos-options.ts';
import type { StoredCall } from '../chaos/stored-rows.ts';
import type { ChaosReport } from '../chaos/report.ts';
import { judge, type Evidence } from '../chaos/verdict.ts';

const CHAOS = join(import.meta.dirname, '../chaos/main.ts');

describe('npm run chaos', () => {
  it('loses no data while processes are killed, paused and drained, and cleans up', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'chaos-test-'));
    try {
      const jsonPath = join(dir, 'report.json');
      const args = ['--rounds', '1', '--calls', '12', '--talk-seconds', '8', '--calm-ms', '200'];
      const extraArgs = ['--pause-ms', '6500', '--keep', join(dir, 'data'), '--json', jsonPath];
      const run = promisify(execFile)(process.execPath, [CHAOS, ...args, ...extraArgs], { timeout: 230_000 });
      const { stdout } = await run.catch((thrown: unknown) => thrown as { stdout: string });
      const report = JSON.parse(await readFile(jsonPath, 'utf8')) as ChaosReport;
      expect(report.violations).toEqual({});
      expect(stdout).toContain('wrong                nothing');
      expect(Object.keys(report.faults)).toHaveLength(8);
      expect(report.calls.created).toBeGreaterThan(12);
      expect(report.connections.callsHit).toBeGreaterThan(0);
      expect(report.rows.failovers).toBeGreaterThan(0);
      expect(report.talk.answered).toBeGreaterThan(report.calls.created);
      expect(await readdir(join(dir, 'data/run'))).not.toContainEqual(expect.stringMatching(/\.json$/u));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }, 240_000);

  it('rejects invalid options', () => {
    expect(() => readChaosOptions(['--calls', 'many'])).toThrow('--calls must be a whole number');
    expect(() => readChaosOptions(['--call', '5'])).toThrow('--call');
    expect(readChaosOptions([])).toMatchObject({ calls: 50, durationMs: 600_000, rounds: null, only: null });
  });
});

describe('chaos checks', () => {
  const call: StoredCall = {
    callId: 'call-1',
    accountId: 'account-1',
    createdMs: 0,
    joinedMs: 1000,
    endedMs: 9000,
    endReason: 'hangup',
    billingStatus: 'BILLING_STATUS_BILLED',
    billedMs: 12_000,
    freeSecondsReserved: null,
    log: ['joined', 'message_added', 'message_added', 'ended'].map((type, i) => ({ seq: i + 1, type })),
    messages: [
      { stageId: 's', index: 0, role: 'MESSAGE_ROLE_USER', text: 'number 1' },
      { stageId: 's', index: 1, role: 'MESSAGE_ROLE_AGENT', text: 'number 1' },
    ],
  };
  const caller: CallerReport = {
    callId: 'call-1',
    plan: { intention: 'hang_up', talkMs: 8000, isVoice: false, isFree: false },
    end: { kind: 'hung_up' },
    endedMs: 9000,
    breaks: [],
    said: ['number 1'],
    answered: [{ text: 'number 1', atMs: 5000 }],
    hangUpRequested: false,
  };
  const deliveries = ['call.joined', 'call.ended', 'call.billed'].map((event): Delivery => ({
    callId: 'call-1',
    event,
    deliveryId: event,
    isAcknowledged: true,
    endReason: 'hangup',
    billingStatus: 'BILLING_STATUS_BILLED',
  }));

  function evidence(
    changes: Partial<Evidence> & { call?: Partial<StoredCall>; caller?: Partial<CallerReport> } = {},
  ): Evidence {
    const { call: callChanges, caller: callerChanges, ...others } = changes;
    const stored = { ...call, ...callChanges };
    const billedMs = stored.billingStatus === 'BILLING_STATUS_BILLED' ? (stored.billedMs ?? 0) : 0;
    return {
      reports: [{ ...caller, ...callerChanges }],
      rows: {
        calls: new Map([['call-1', stored]]),
        outbox: 0,
        freeSecondsUsed: new Map([['account-1', 0]]),
        facts: { calls: 1, ended: 1, billedMs: stored.billedMs ?? 0 },
      },
      logs: new Map([['call-1', stored.log.map((event) => ({ ...event, epoch: 1 }))]]),
      deliveries,
      faults: [],
      apiErrors: [],
      usage: { totalCount: 1, billedMinutes: billedMs / 60_000 },
      ...others,
    };
  }
  const wrong = (changes: Parameters<typeof evidence>[0]): string[] => Object.keys(judge(evidence(changes)));

  it('report nothing for a correct run', () => {
    expect(judge(evidence())).toEqual({});
  });

  it('find lost calls, endless calls and contradictory end reasons', () => {
    expect(wrong({ reports: [caller, { ...caller, callId: 'call-2' }] })).toEqual(['lost calls']);
    expect(wrong({ call: { endedMs: null, endReason: null } })).toContain('calls without end');
    expect(wrong({ caller: { end: { kind: 'ended_by_server', reason: 'timeout' } } })).toEqual([
      'end reasons',
    ]);
    expect(wrong({ caller: { end: { kind: 'vanished' } } })).toEqual(['end reasons']);
    expect(wrong({ reports: [] })).toEqual(['end reasons']);
    expect(wrong({ caller: { end: { kind: 'endless' } } })).toContain('late ends');
  });

  it('accept a system_error only during an injected fault', () => {
    const failed: Parameters<typeof evidence>[0] = {
      call: { endReason: 'system_error', billingStatus: 'BILLING_STATUS_FREE_SYSTEM_ERROR', billedMs: 0 },
      deliveries: deliveries.map((delivery) => ({
        ...delivery,
        endReason: 'system_error',
        billingStatus: 'BILLING_STATUS_FREE_SYSTEM_ERROR',
      })),
    };
    const fault = { kind: 'kill', targets: ['media-worker'], backAfterMs: 1000 } as const;
    expect(wrong(failed)).toEqual(['end reasons']);
    expect(wrong({ ...failed, faults: [{ ...fault, targets: ['media-worker'], atMs: 5000 }] })).toEqual([]);
    expect(wrong({ ...failed, faults: [{ ...fault, targets: ['media-worker'], atMs: -90_000 }] })).toEqual([
      'end reasons',
    ]);
  });

  it('find incorrect bills and sums', () => {
    expect(wrong({ call: { billingStatus: 'BILLING_STATUS_PENDING', billedMs: null } })).toContain('bills');
    expect(wrong({ call: { billedMs: 18_000 } })).toContain('bills');
    expect(wrong({ usage: { totalCount: 1, billedMinutes: 0.4 } })).toEqual(['sums']);
    expect(wrong({ usage: { totalCount: 2, billedMinutes: 0.2 } })).toEqual(['sums']);
    const isFree = {
      call: { billingStatus: 'BILLING_STATUS_FREE_MINUTES', freeSecondsReserved: 10 },
      deliveries: deliveries.map((delivery) => ({
        ...delivery,
        billingStatus: 'BILLING_STATUS_FREE_MINUTES',
      })),
    };
    const used = (seconds: number) => ({
      ...isFree,
      rows: { ...evidence(isFree).rows, freeSecondsUsed: new Map([['account-1', seconds]]) },
    });
    expect(wrong(used(10))).toEqual([]);
    expect(wrong(used(20))).toEqual(['sums']);
  });

  it('find lost and duplicate events and messages', () => {
    const without = (index: number) => call.log.filter((_, i) => i !== index);
    const logs = evidence().logs;
    expect(wrong({ call: { log: without(1) }, logs })).toEqual(['event rows', 'logs']);
    expect(wrong({ call: { log: without(3) }, logs })).toEqual(['event rows', 'logs']);
    expect(wrong({ call: { log: [...call.log, { seq: 5, type: 'ended' }] } })).toEqual(['event rows']);
    expect(wrong({ call: { log: [...call.log, { seq: 5, type: 'message_added' }] } })).toEqual([
      'event rows',
    ]);
    const [first] = call.messages;
    expect(wrong({ call: { messages: [...call.messages, { ...first!, index: 2 }] } })).toEqual([
      'message rows',
    ]);
    expect(wrong({ call: { messages: call.messages.slice(1) } })).toEqual(['message rows', 'lost words']);
    const epochs = call.log.map((event, i) => ({ ...event, epoch: i === 3 ? 1 : 2 }));
    expect(wrong({ logs: new Map([['call-1', epochs]]) })).toEqual(['logs']);
  });

  it('find missing, unexpected, duplicate and inconsistent callbacks', () => {
    const change = (at: number, changes: Partial<Delivery>) =>
      deliveries.map((delivery, i) => (i === at ? { ...delivery, ...changes } : delivery));
    expect(wrong({ deliveries: deliveries.slice(1) })).toEqual(['callbacks']);
    expect(wrong({ deliveries: change(1, { isAcknowledged: false }) })).toEqual(['callbacks']);
    expect(wrong({ deliveries: [...deliveries, ...change(1, { deliveryId: 'other' })] })).toEqual([
      'callbacks',
    ]);
    expect(wrong({ deliveries: change(1, { endReason: 'timeout' }) })).toEqual(['callbacks']);
    expect(wrong({ deliveries: change(2, { billingStatus: 'BILLING_STATUS_PENDING' }) })).toEqual([
      'callbacks',
    ]);
    // Delivery is at least once with the same id.
    expect(wrong({ deliveries: [...deliveries, ...deliveries] })).toEqual([]);
  });

  it('find API errors without an injected fault and lost requests', () => {
    expect(wrong({ apiErrors: ['POST /api/calls returned 500'] })).toEqual(['API responses']);
    expect(wrong({ rows: { ...evidence().rows, outbox: 2 } })).toEqual(['outbox']);
  });
});
