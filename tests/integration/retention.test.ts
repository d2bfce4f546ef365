import { afterAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallTombstone } from '@calls/api-contract/rest/call-records';
import { readWavHeader, WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import { WavRecordings } from '@calls/object-storage/call-objects/wav-recordings';
import { createDispatcher, type Dispatcher } from '@calls/dispatcher/dispatcher';
import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { deleteBilledCalls } from '@calls/store/tables/deleted-calls';
import { endedEntry } from '@calls/testkit/ended-entry';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { dispatcherConfig } from '../support/dispatcher-config.ts';
import { eventually } from '../support/eventually.ts';

const USAGE = { inputTokens: 0, outputTokens: 0 };
const SECOND_BYTES = 64_000;
let dispatcher: Dispatcher | null = null;

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, ['retentionPolicy']);
afterAll(async () => {
  await dispatcher?.[Symbol.asyncDispose]();
  await harness.stop();
});

async function startDispatcher(): Promise<void> {
  dispatcher = await createDispatcher(dispatcherConfig(harness), silentLogger);
}

function keysOf(call: Call): string[] {
  const place = `${account.accountId}/${call.callId}`;
  return [`recordings/${place}.wav`, `traces/${place}.jsonl`];
}

/** An ended and billed call with messages, recording and trace. */
async function endedCall(retentionPolicy: string, extra: { transferTo?: string } = {}): Promise<Call> {
  const call = await account.createCall({ retentionPolicy, recordingEnabled: true, model: 'svc-local' });
  const [recording = '', trace = ''] = keysOf(call);
  await harness.storage.put(recording, [new Uint8Array(1000)]);
  await harness.storage.put(trace, [new Uint8Array(10)]);
  const event = harness.eventsOf(call, account.accountId);
  const { results } = await account.list<{ callStageId: string }>(`/api/calls/${call.callId}/stages`);
  const stageId = results[0]?.callStageId ?? '';
  const message = { role: 'MESSAGE_ROLE_USER', text: 'My umbrella is lost.' } as const;
  const joinedAtMs = Date.now() - 5000;
  const bodies: CallLogEntryBody[] = [
    { type: 'joined', clientVersion: null, workerId: 'w1' },
    { type: 'message_added', stageId, index: 0, message },
    endedEntry({
      joinedAtMs,
      recording: { key: recording, bytes: 1000, durationMs: 15 },
      ...USAGE,
      ...extra,
    }),
  ];
  for (const [i, body] of bodies.entries()) {
    const atMs = joinedAtMs + (body.type === 'joined' ? 0 : 5000);
    await harness.bus.callLogs.append(event(i + 1, body, atMs));
  }
  await eventually(async () => {
    const { rows } = await harness.query(
      "select 1 from call_facts where call_id = $1 and billing_status <> 'BILLING_STATUS_PENDING'",
      call.callId,
    );
    expect(rows).toHaveLength(1);
  });
  return call;
}

const statusOf = async (call: Call, path = ''): Promise<number> =>
  (await account.request(`/api/calls/${call.callId}${path}`)).status;

describe('a call with the retention policy auto_delete', () => {
  it('is deleted after billing with its data except its facts, without affecting other calls', async () => {
    const [retained, deleted] = [await endedCall('retain'), await endedCall('auto_delete')];
    const live = await account.createCall({ retentionPolicy: 'auto_delete' });
    // The dispatcher died after deleting the row and before deleting the objects.
    await eventually(async () =>
      expect(await deleteBilledCalls(harness.store.db, { graceMs: 0, limit: 10 })).toBe(1),
    );
    expect(await statusOf(deleted)).toBe(404);
    expect(await Promise.all(keysOf(deleted).map((key) => harness.storage.stat(key)))).not.toContain(null);
    const transferred = await endedCall('auto_delete', { transferTo: '+15559' });
    // The provider may still request the transfer target.
    expect(await deleteBilledCalls(harness.store.db, { graceMs: 0, limit: 10 })).toBe(0);
    await harness.query(
      "update calls set ended_at = ended_at - interval '30 s' where call_id = $1",
      transferred.callId,
    );
    expect(await deleteBilledCalls(harness.store.db, { graceMs: 0, limit: 10 })).toBe(1);
    const next = await endedCall('auto_delete');

    await startDispatcher();
    for (const call of [deleted, next]) {
      await eventually(async () => {
        expect(await statusOf(call)).toBe(404);
        expect(await Promise.all(keysOf(call).map((key) => harness.storage.stat(key)))).toEqual([null, null]);
      });
      for (const path of ['/messages', '/events', '/stages', '/tools', '/recording']) {
        expect([path, await statusOf(call, path)]).toEqual([path, 404]);
      }
      const stone = await account.request<CallTombstone>(`/api/deleted_calls/${call.callId}`);
      expect(stone.body).toMatchObject({ endReason: 'hangup', recordingEnabled: true, hadSummary: false });
    }
    const left = await harness.query(
      `select (select count(*) from calls where call_id = any($1)) + (select count(*) from call_messages
        where call_id = any($1)) + (select count(*) from call_stages where call_id = any($1)) as n`,
      [deleted.callId, next.callId],
    );
    expect(left.rows).toEqual([{ n: 0 }]);
    const billed = await harness.query(
      'select billing_status, billed_duration_ms from call_facts where call_id = $1',
      deleted.callId,
    );
    expect(billed.rows).toEqual([{ billing_status: 'BILLING_STATUS_BILLED', billed_duration_ms: 6000 }]);
    expect([await statusOf(live), await statusOf(retained)]).toEqual([200, 200]);
    expect(await Promise.all(keysOf(retained).map((key) => harness.storage.stat(key)))).not.toContain(null);
    await eventually(async () => expect((await account.call(retained.callId)).summary).toContain('umbrella'));
  });
});

describe('a recorded call of a killed worker', () => {
  /** The file that a killed worker leaves: some seconds, the last sample incomplete. */
  async function abandoned(call: Call, seconds: number): Promise<void> {
    const recordings = new WavRecordings({ storage: harness.storage, clock: systemClock, log: silentLogger });
    const sink = recordings.open({ accountId: account.accountId, callId: call.callId }, () => undefined);
    for (let i = 1; i <= seconds; i += 1) sink.write(new Uint8Array(SECOND_BYTES).fill(i));
    sink.write(new Uint8Array(3).fill(9));
    await eventually(async () => {
      const [path] = await partials(call);
      expect((await readFile(path ?? '')).byteLength).toBe(WAV_HEADER_BYTES + seconds * SECOND_BYTES + 3);
    });
    await sink.suspend();
  }

  async function partials(call: Call): Promise<string[]> {
    const folder = join(harness.objectDirectory, 'recordings', account.accountId);
    const names = await readdir(folder);
    return names.filter((name) => name.startsWith(`.${call.callId}`)).map((name) => join(folder, name));
  }

  /** Moves the modification time of the file into the past. */
  async function age(call: Call, byMs: number): Promise<void> {
    const at = new Date(Date.now() - byMs);
    for (const path of await partials(call)) await utimes(path, at, at);
  }

  async function joinedCall(retentionPolicy = 'retain'): Promise<Call> {
    const call = await account.createCall({ recordingEnabled: true, retentionPolicy });
    const event = harness.eventsOf(call, account.accountId);
    await harness.bus.callLogs.append(event(1, { type: 'joined', clientVersion: null, workerId: 'w1' }));
    await eventually(async () => expect((await account.call(call.callId)).joined).not.toBeNull());
    return call;
  }

  /** Makes the call expired long ago. */
  async function sweep(call: Call): Promise<void> {
    await harness.query(
      "update calls set expires_at = now() - interval '5 minutes' where call_id = $1",
      call.callId,
    );
  }

  it('has a recording up to the last written block after the call is ended', async () => {
    const call = await joinedCall();
    await abandoned(call, 3);
    await sweep(call);
    const file = await eventually(async () => {
      const response = await fetch(`${harness.url}/api/calls/${call.callId}/recording`, {
        headers: { 'X-API-Key': account.key },
      });
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    });
    expect(await account.call(call.callId)).toMatchObject({ endReason: 'system_error' });
    const dataBytes = 3 * SECOND_BYTES + 4;
    expect(readWavHeader(file)).toMatchObject({
      format: { channels: 2, sampleRateHz: 16_000, bitsPerSample: 16 },
      dataBytes,
    });
    expect(file).toHaveLength(WAV_HEADER_BYTES + dataBytes);
    expect([1, 2, 3].map((i) => file[WAV_HEADER_BYTES + i * SECOND_BYTES - 1])).toEqual([1, 2, 3]);
    expect([...file.subarray(-4)]).toEqual([9, 9, 9, 0]);
    const { rows } = await harness.query(
      'select recording_duration_ms, recording_bytes from calls where call_id = $1',
      call.callId,
    );
    expect(rows).toEqual([{ recording_duration_ms: 3000, recording_bytes: file.length }]);
    expect(await partials(call)).toEqual([]);
  });

  it('has its recording deleted when it has the retention policy auto_delete', async () => {
    const call = await joinedCall('auto_delete');
    await abandoned(call, 1);
    await age(call, 60_000);
    await sweep(call);
    await eventually(async () => {
      expect(await statusOf(call)).toBe(404);
      expect(await partials(call)).toEqual([]);
    });
  });

  it('has its partial recording finished after a day, and orphaned files are deleted', async () => {
    const call = await joinedCall();
    await abandoned(call, 2);
    const stranger = { callId: newId() } as Call;
    await abandoned(stranger, 1);
    const young = { callId: newId() } as Call;
    await abandoned(young, 1);
    for (const old of [call, stranger]) await age(old, 25 * 3600_000);
    await dispatcher?.[Symbol.asyncDispose]();
    await startDispatcher();
    await eventually(async () => {
      expect(await harness.storage.stat(keysOf(call)[0] ?? '')).toEqual({
        bytes: WAV_HEADER_BYTES + 2 * SECOND_BYTES + 4,
      });
      expect([await partials(call), await partials(stranger)]).toEqual([[], []]);
    });
    expect(await partials(young)).toHaveLength(1);
  });
});
