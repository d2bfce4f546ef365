import { afterAll, describe, expect, it } from '@jest/globals';
import type { CallCommand, CallCommandReply } from '@calls/api-contract/bus/call-commands';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallTombstone } from '@calls/api-contract/rest/call-records';
import type { CallSupervision } from '@calls/api-contract/rest/supervision';
import { createSupervisorTokens } from '@calls/secrets/join-tokens/supervisor-tokens';
import { endedEntry } from '@calls/testkit/ended-entry';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

/** The media-worker side: receives commands and publishes events. */
function hold(call: Call, answer: (command: CallCommand) => CallCommandReply | null) {
  const commands: CallCommand[] = [];
  const event = harness.eventsOf(call, account.accountId);
  const served = harness.bus.commands.serve(call.callId, (command) => {
    commands.push(command);
    return answer(command);
  });
  return {
    commands,
    end: (recordingKey: string | null, seq = 1) =>
      harness.bus.callLogs.append(
        event(
          seq,
          endedEntry({
            endReason: 'agent_hangup',
            joinedAtMs: Date.now() - 61_000,
            inputTokens: 3,
            outputTokens: 4,
            recording: recordingKey === null ? null : { key: recordingKey, durationMs: 1, bytes: 1 },
          }),
        ),
      ),
    [Symbol.dispose]: () => served[Symbol.dispose](),
  };
}

const send = (call: Call, message: unknown) =>
  account.post(`/api/calls/${call.callId}/send_data_message`, message);

const ordered = async (): Promise<unknown[]> => {
  const rows = await harness.store.db
    .selectFrom('outbox')
    .select('payload')
    .where('topic', '=', 'job')
    .execute();
  return rows.map(({ payload }) => payload);
};

describe('a data message', () => {
  it('is forwarded unchanged to the worker that runs the call', async () => {
    const call = await account.createCall();
    using worker = hold(call, () => ({ outcome: 'accepted' }));
    const messages = [
      { type: 'user_text_message', text: 'Room 12', urgency: 'immediate' },
      { type: 'forced_agent_message', content: 'Good.', uninterruptible: true, urgency: 'soon' },
      { type: 'hang_up', message: 'Goodbye' },
      { type: 'hang_up' },
    ];
    for (const message of messages) {
      expect(await send(call, message)).toMatchObject({ status: 204, body: null });
    }
    expect(worker.commands).toEqual(messages.map((message) => ({ kind: 'send_message', message })));
  });

  it('is rejected when the call is not live', async () => {
    const message = { type: 'user_text_message', text: 'Hello?' };
    const notLive = { status: 422, body: { code: 'call_not_live' } };
    const call = await account.createCall();
    expect(await send(call, message)).toMatchObject(notLive);
    using worker = hold(call, () => ({ outcome: 'not_joined' }));
    expect(await send(call, message)).toMatchObject(notLive);
    await worker.end(null);
    await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
    const asked = worker.commands.length;
    expect(await send(call, message)).toMatchObject(notLive);
    expect(worker.commands.length).toBe(asked);
  });

  it.each([
    [{}, ['type']],
    [{ type: 'ping', timestamp: 1 }, ['timestamp', 'type']],
    [{ type: 'user_text_message' }, ['text']],
    [{ type: 'user_text_message', text: 'x', urgency: 'now' }, ['urgency']],
    [{ type: 'user_text_message', text: 'x', content: 'y' }, ['content']],
    [{ type: 'forced_agent_message', urgency: 'later' }, ['urgency']],
    [{ type: 'forced_agent_message', toolCalls: [{ name: 'a' }] }, ['toolCalls.0.arguments']],
    [{ type: 'hang_up', message: 5 }, ['message']],
    [{ type: 'hang_up', text: 'bye' }, ['text']],
    ['hang_up', ['']],
  ])('%j is rejected with the path of each invalid field', async (message, paths) => {
    const call = await account.createCall();
    const { status, body } = await send(call, message);
    expect([status, body.errors?.map(({ path }) => path).sort()]).toEqual([400, paths]);
  });

  it('is rejected when the call ends before the worker replies', async () => {
    const call = await account.createCall();
    using worker = hold(call, () => {
      void worker.end(null);
      return null;
    });
    expect(await send(call, { type: 'hang_up' })).toMatchObject({
      status: 422,
      body: { code: 'call_not_live' },
    });
  });

  it('fails immediately when the bus is unavailable', async () => {
    const call = await account.createCall();
    await harness.nats.stop();
    try {
      await eventually(async () => {
        const response = await send(call, { type: 'hang_up' });
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
        expect((await account.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(503);
      });
    } finally {
      await harness.nats.start();
    }
    await eventually(() => account.createCall());
    await eventually(() => harness.bus.connection.ping());
  });
});

describe('the supervision of a call', () => {
  const supervise = (call: Call, body: unknown, by = account) =>
    by.post<CallSupervision>(`/api/calls/${call.callId}/supervise`, body);

  async function joinedCall(): Promise<Call> {
    const call = await account.createCall();
    const event = harness.eventsOf(call, account.accountId);
    await harness.bus.callLogs.append(event(1, { type: 'joined', clientVersion: null, workerId: 'w1' }));
    await eventually(async () => expect((await account.call(call.callId)).joined).not.toBeNull());
    return call;
  }

  it('is opened by a signed URL that expires', async () => {
    const call = await joinedCall();
    using worker = hold(call, () => ({ outcome: 'accepted' }));
    const { status, body } = await supervise(call, { mode: 'whisper', name: 'Ann', sampleRate: 24_000 });
    expect(status).toBe(201);
    const url = new URL(body.superviseUrl);
    expect(url.pathname).toBe(`/supervise/${call.callId}`);
    const claims = createSupervisorTokens(JOIN_TOKEN_SECRETS).verify(url.searchParams.get('token') ?? '');
    expect(claims).toEqual({
      callId: call.callId,
      supervisorId: body.supervisorId,
      name: 'Ann',
      mode: 'whisper',
      sampleRateHz: 24_000,
      channelMode: 'mixed',
      expiresAtMs: Date.parse(body.expires),
    });
    const later = createSupervisorTokens(JOIN_TOKEN_SECRETS, () => Date.parse(body.expires));
    expect(later.verify(url.searchParams.get('token') ?? '')).toBeNull();
    expect(worker.commands).toEqual([{ kind: 'status' }]);
  });

  it('is rejected unless the call is live and belongs to the account', async () => {
    const waiting = await account.createCall();
    using _waits = hold(waiting, () => ({ outcome: 'accepted' }));
    const notLive = { status: 422, body: { code: 'call_not_live' } };
    expect(await supervise(waiting, { mode: 'listen' })).toMatchObject(notLive);
    const call = await joinedCall();
    // The call has no worker.
    expect(await supervise(call, { mode: 'listen' })).toMatchObject(notLive);
    using worker = hold(call, () => ({ outcome: 'accepted' }));
    expect(await supervise(call, { mode: 'listen' }, await harness.account())).toMatchObject({ status: 404 });
    expect(await supervise(call, { mode: 'shout', name: '' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'mode' }, { path: 'name' }] },
    });
    await worker.end(null, 2);
    await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
    expect(await supervise(call, { mode: 'listen' })).toMatchObject(notLive);
  });
});

function deletionOf({ callId }: { callId: string }, recording: string) {
  const id = `${account.accountId}/${callId}`;
  return { kind: 'delete_objects', keys: [recording, `traces/${id}.jsonl`, `sip-logs/${id}.txt`] };
}

describe('deleting a call', () => {
  it('removes its messages, schedules deletion of its recording and retains billing data and a tombstone', async () => {
    const call = await account.createCall({ recordingEnabled: true });
    const event = harness.eventsOf(call, account.accountId);
    using worker = hold(call, () => ({ outcome: 'accepted' }));
    const { results } = await account.list<{ callStageId: string }>(`/api/calls/${call.callId}/stages`);
    const stageId = results[0]?.callStageId ?? '';
    const message = { role: 'MESSAGE_ROLE_USER', text: 'A secret' } as const;
    await harness.bus.callLogs.append(event(1, { type: 'message_added', stageId, index: 0, message }));
    await worker.end('recordings/call.wav', 2);
    await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());

    expect(await account.send('DELETE', `/api/calls/${call.callId}`)).toMatchObject({
      status: 204,
      body: null,
    });
    expect(worker.commands).toEqual([]);
    for (const path of ['', '/messages', '/events', '/stages', '/recording']) {
      expect([path, (await account.request(`/api/calls/${call.callId}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await account.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(404);
    const { db } = harness.store;
    for (const table of ['call_stages', 'call_messages', 'call_events', 'call_event_log'] as const) {
      const left = await db.selectFrom(table).select('call_id').where('call_id', '=', call.callId).execute();
      expect([table, left]).toEqual([table, []]);
    }
    expect(await ordered()).toContainEqual(deletionOf(call, 'recordings/call.wav'));
    const stone = await account.request<CallTombstone>(`/api/deleted_calls/${call.callId}`);
    expect(stone.body).toMatchObject({
      endReason: 'agent_hangup',
      recordingEnabled: true,
      hadSummary: false,
    });
    const facts = await db
      .selectFrom('call_facts')
      .select(['billing_status', 'billed_duration_ms', 'said'])
      .where('call_id', '=', call.callId)
      .executeTakeFirst();
    expect(facts).toEqual({
      billing_status: 'BILLING_STATUS_BILLED',
      billed_duration_ms: 66_000,
      said: '',
    });

    // Late call log entries are dropped, and a late recording is scheduled for deletion.
    await harness.bus.callLogs.append(event(3, { type: 'message_added', stageId, index: 1, message }));
    await worker.end('recordings/late.wav', 4);
    await eventually(async () => {
      expect(await ordered()).toContainEqual(deletionOf(call, 'recordings/late.wav'));
    });
    expect((await account.request(`/api/calls/${call.callId}`)).status).toBe(404);
  });

  it('hangs up a live call first', async () => {
    const call = await account.createCall();
    using worker = hold(call, () => {
      setTimeout(() => void worker.end('recordings/live.wav'), 100);
      return { outcome: 'accepted' };
    });
    expect((await account.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    expect(worker.commands).toEqual([{ kind: 'end' }]);
    const stone = await account.request<CallTombstone>(`/api/deleted_calls/${call.callId}`);
    expect(stone.body.endReason).toBe('agent_hangup');
    expect(await ordered()).toContainEqual(deletionOf(call, 'recordings/live.wav'));
  });

  it('ends a call that no worker has taken from the queue, so that none takes it later', async () => {
    const { callId } = await account.createCall();
    expect((await account.send('DELETE', `/api/calls/${callId}`)).status).toBe(204);
    expect((await account.request<CallTombstone>(`/api/deleted_calls/${callId}`)).body).toMatchObject({
      endReason: 'unjoined',
      joined: null,
    });
    const { leases, createdCalls } = harness.bus;
    const taken = await eventually(async () => {
      const delivery = await createdCalls.take('standard', 2000, new AbortController().signal);
      delivery?.ack();
      expect(delivery?.call.spec.callId).toBe(callId);
      return delivery!.call;
    });
    expect(await leases.acquire(taken, { workerId: 'late', url: 'ws://late' })).toBe('over');
  });

  it('is rejected when the call is joined and no worker can end it', async () => {
    const call = await account.createCall();
    await harness.bus.callLogs.append(
      harness.eventsOf(call, account.accountId)(1, { type: 'joined', clientVersion: null, workerId: 'gone' }),
    );
    const refused = await account.send('DELETE', `/api/calls/${call.callId}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'call_live' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await account.call(call.callId)).ended).toBeNull();
  });
});
