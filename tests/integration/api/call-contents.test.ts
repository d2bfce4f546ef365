import { afterAll, describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import { msToDuration } from '@calls/api-contract/duration';
import type { CallStage } from '@calls/api-contract/rest/call-records';
import type { MessageRole } from '@calls/api-contract/rest/enums';
import type { Message } from '@calls/api-contract/rest/message';
import { encodeWav, parseWav } from '@calls/audio/wav';
import { readWavHeader } from '@calls/audio/wav-header';
import { newId } from '@calls/foundation/ids';
import { endedEntry } from '@calls/testkit/ended-entry';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, ['sip']);
afterAll(() => harness.stop());

const RATE_HZ = 16_000;

function said(role: MessageRole, text: string, fromMs: number, toMs: number): Message {
  const timespan = { start: msToDuration(fromMs), end: msToDuration(toMs) };
  return { role, text, medium: 'MESSAGE_MEDIUM_VOICE', timespan };
}

/** A call with an initial message from an earlier call and the log entries that a worker published. */
async function startCall(settings: Record<string, unknown> = {}) {
  const initial = said('MESSAGE_ROLE_USER', 'Before', 0, 500);
  const call = await account.createCall({ initialMessages: [initial], ...settings });
  const stages = await account.list<CallStage>(`/api/calls/${call.callId}/stages`);
  const stageId = stages.results[0]?.callStageId ?? '';
  const event = harness.eventsOf(call, account.accountId);
  let seq = 0;
  let index = 0;
  const publish = async (body: CallLogEntryBody): Promise<void> => {
    seq += 1;
    await harness.bus.callLogs.append(event(seq, body));
  };
  const add = (message: Message, stage = stageId): Promise<void> => {
    const body = { type: 'message_added', stageId: stage, index, message } as const;
    index += 1;
    return publish(body);
  };
  await add(initial);
  return {
    ...call,
    stageId,
    path: `/api/calls/${call.callId}`,
    publish,
    add,
    async end(recordingKey?: string): Promise<void> {
      await publish(
        endedEntry({
          joinedAtMs: Date.now() - 10_000,
          recording: recordingKey === undefined ? null : { key: recordingKey, durationMs: 1000, bytes: 1 },
        }),
      );
      await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
    },
  };
}

const texts = async (path: string): Promise<(string | undefined)[]> =>
  (await account.list<Message>(path)).results.map(({ text }) => text);

describe('answeredBy of a call', () => {
  it('is that of the newest event, regardless of the order of arrival', async () => {
    const call = await startCall();
    const event = harness.eventsOf(call, account.accountId);
    const report = (seq: number, answeredBy: string) =>
      harness.bus.callLogs.append(
        event(seq, {
          type: 'noted',
          stageId: call.stageId,
          callTimestampMs: seq * 1000,
          severity: 'info',
          eventType: 'answered_by',
          text: 'x',
          extras: { answeredBy },
        }),
      );
    const answeredBy = async () => (await account.call(call.callId)).answeredBy;
    expect(await answeredBy()).toBeNull();
    await report(2, 'human');
    await eventually(async () => expect(await answeredBy()).toBe('human'));
    await report(4, 'machine');
    await eventually(async () => expect(await answeredBy()).toBe('machine'));
    await report(3, 'unknown');
    await report(5, 'of a later release');
    const stored = async () => (await account.list(`${call.path}/events?type=answered_by`)).total;
    await eventually(async () => expect(await stored()).toBe(4));
    expect(await answeredBy()).toBe('machine');
  });

  it('is unknown once a call with detection has ended without a result', async () => {
    const sip = { outgoing: { to: 'sip:ann@192.0.2.1', from: 'agent' } };
    const detecting = await startCall({ medium: { sip }, answeringMachineDetection: {} });
    const other = await startCall();
    for (const call of [detecting, other]) await call.end();
    expect((await account.call(detecting.callId)).answeredBy).toBe('unknown');
    expect((await account.call(other.callId)).answeredBy).toBeNull();
  });
});

describe('call stages', () => {
  it('return the settings of the call and can be read by id', async () => {
    const call = await startCall({
      systemPrompt: 'You are Ada.',
      languageHint: 'en-GB',
      temperature: 0.5,
      initialState: { room: 12 },
      inactivityMessages: [{ duration: '8s', message: 'Still there?' }],
    });
    const issue = {
      type: 'noted',
      stageId: call.stageId,
      callTimestampMs: 5,
      text: 'x',
      extras: null,
    } as const;
    await call.publish({ ...issue, severity: 'warning', eventType: 'response_error' });
    await call.publish({ ...issue, severity: 'error', eventType: 'connection_error' });
    await call.publish({ ...issue, severity: 'warning', eventType: 'audio_overflow' });
    const stage = async () => (await account.list<CallStage>(`${call.path}/stages`)).results[0];
    expect(await stage()).toMatchObject({ initialTokenCount: null, latestTokenCount: null });
    for (const [inputTokens, outputTokens] of [
      [100, 20],
      [130, 5],
    ]) {
      const extras = { inputTokens, outputTokens };
      await call.publish({ ...issue, severity: 'debug', eventType: 'model_usage', extras });
    }
    await call.end();
    const page = await account.list<CallStage>(`${call.path}/stages`);
    expect(page.total).toBe(1);
    expect(page.results[0]).toEqual({
      callId: call.callId,
      callStageId: call.stageId,
      created: call.created,
      inactivityMessages: [{ duration: '8s', message: 'Still there?' }],
      initialTokenCount: 100,
      keyTerms: [],
      languageHint: 'en-GB',
      latestTokenCount: 135,
      model: 'svc-v0.7',
      systemPrompt: 'You are Ada.',
      temperature: 0.5,
      timeExceededMessage: null,
      voice: null,
      errorCount: 2,
      experimentalSettings: null,
      initialState: { room: 12 },
    });
    const one = await account.request<CallStage>(`${call.path}/stages/${call.stageId}`);
    expect(one.body).toEqual(page.results[0]);
  });
});

describe('call messages', () => {
  it('are listed for the last stage or for the whole call', async () => {
    const call = await startCall();
    await call.add(said('MESSAGE_ROLE_AGENT', 'One', 0, 100));
    await call.add(said('MESSAGE_ROLE_USER', 'Two', 100, 200));
    await call.end();
    expect(await texts(`${call.path}/messages`)).toEqual(['Before', 'One', 'Two']);
    expect(await texts(`${call.path}/messages?mode=last_stage`)).toEqual(['Before', 'One', 'Two']);
    expect(await texts(`${call.path}/messages?mode=in_call`)).toEqual(['One', 'Two']);
    expect(await texts(`${call.path}/stages/${call.stageId}/messages?pageSize=2`)).toEqual(['Before', 'One']);
    expect((await account.request(`${call.path}/messages?mode=all`)).status).toBe(400);
  });

  it('are assigned to their stage in a call with two stages', async () => {
    const call = await startCall();
    await call.add(said('MESSAGE_ROLE_AGENT', 'First stage', 0, 100));
    const second = newId();
    await harness.store.db
      .insertInto('call_stages')
      .values({
        stage_id: second,
        call_id: call.callId,
        stage_index: 1,
        created_at: new Date(),
        initial_message_count: 3,
        overrides: JSON.stringify({ temperature: 1 }),
      })
      .execute();
    const add = (index: number, text: string) =>
      call.publish({ type: 'message_added', stageId: second, index, message: { text } });
    await add(0, 'Given');
    await add(1, 'Second stage');
    // Stages that were never entered are not part of the call.
    await eventually(async () =>
      expect((await account.list(`${call.path}/messages?mode=in_call`)).total).toBe(1),
    );
    expect(await texts(`${call.path}/messages`)).toEqual(['Before', 'First stage']);
    expect((await account.list(`${call.path}/stages`)).total).toBe(1);
    expect((await account.request(`${call.path}/stages/${second}`)).status).toBe(404);
    await call.publish({ type: 'stage_began', stageId: second, messageCount: 1 });
    await call.end();
    expect(await texts(`${call.path}/messages`)).toEqual(['Given', 'Second stage']);
    expect(await texts(`${call.path}/messages?mode=in_call`)).toEqual(['First stage', 'Second stage']);
    const stages = await account.list<CallStage>(`${call.path}/stages`);
    expect(stages.results.map(({ temperature }) => temperature)).toEqual([0, 1]);
  });
});

describe('message audio', () => {
  const seconds = (value: number): Int16Array => new Int16Array(RATE_HZ).fill(value);

  it('contains only the channel of the speaker and supports range requests', async () => {
    const call = await startCall({ recordingEnabled: true });
    await call.add(said('MESSAGE_ROLE_AGENT', 'Hello', 250, 750));
    await call.add(said('MESSAGE_ROLE_USER', 'Hi', 900, 5000));
    await call.add({ ...said('MESSAGE_ROLE_USER', 'typed', 100, 200), medium: 'MESSAGE_MEDIUM_TEXT' });
    await call.add(said('MESSAGE_ROLE_USER', 'after the recording stopped', 2000, 3000));
    const audio = (index: number, headers: Record<string, string> = {}) =>
      fetch(`${harness.url}${call.path}/stages/${call.stageId}/messages/${index}/audio`, {
        headers: { 'X-API-Key': account.key, ...headers },
      });
    await eventually(async () => expect((await audio(1)).status).toBe(425));
    const key = `recordings/${call.callId}.wav`;
    const ramp = Int16Array.from({ length: RATE_HZ }, (_, i) => i);
    await harness.storage.put(key, [encodeWav([seconds(-7), ramp], RATE_HZ)]);
    await call.end(key);

    const agent = await audio(1);
    expect([agent.status, agent.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const file = Buffer.from(await agent.arrayBuffer());
    expect(agent.headers.get('content-length')).toBe(String(file.byteLength));
    expect(readWavHeader(file)?.format).toMatchObject({ channels: 1, sampleRateHz: RATE_HZ });
    expect(parseWav(file).samples).toEqual(ramp.subarray(RATE_HZ / 4, (RATE_HZ / 4) * 3));
    const part = await audio(1, { Range: 'bytes=41-1000' });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(file.subarray(41, 1001));

    const user = parseWav(Buffer.from(await (await audio(2)).arrayBuffer()));
    expect(user.samples).toEqual(new Int16Array(RATE_HZ / 10).fill(-7));
    // Initial messages and text messages have no audio; the others have no recording.
    for (const index of [0, 3, 4, 5]) expect([index, (await audio(index)).status]).toEqual([index, 404]);
  });

  it('returns 404 when there is no recording', async () => {
    const call = await startCall();
    await call.add(said('MESSAGE_ROLE_AGENT', 'Hello', 0, 500));
    await call.end();
    const path = `${call.path}/stages/${call.stageId}/messages/1/audio`;
    expect((await account.request(path)).status).toBe(404);
  });
});

describe("another account's call", () => {
  it('returns 404 for every operation', async () => {
    const call = await startCall();
    await call.add(said('MESSAGE_ROLE_AGENT', 'Hello', 0, 500));
    const commands: unknown[] = [];
    const served = harness.bus.commands.serve(call.callId, (command) => {
      commands.push(command);
      return { outcome: 'accepted' };
    });
    const stage = `${call.path}/stages/${call.stageId}`;
    const requests: [string, string, unknown?][] = [
      ['GET', call.path],
      ['DELETE', call.path],
      ['GET', `${call.path}/messages`],
      ['GET', `${call.path}/events`],
      ['GET', `${call.path}/stages`],
      ['GET', stage],
      ['GET', `${stage}/messages`],
      ['GET', `${stage}/messages/1/audio`],
      ['GET', `${call.path}/recording`],
      ['GET', `${call.path}/sip_logs`],
      ['POST', `${call.path}/send_data_message`, { type: 'hang_up' }],
      ['GET', `/api/deleted_calls/${call.callId}`],
    ];
    const stranger = await harness.account();
    for (const [method, path, body] of requests) {
      const response = await stranger.send(method, path, body);
      expect([method, path, response.status, response.body.code]).toEqual([method, path, 404, 'not_found']);
    }
    expect(commands).toEqual([]);
    served[Symbol.dispose]();
    const foreign = await account.createCall();
    const strange = `/api/calls/${foreign.callId}/stages/${call.stageId}`;
    for (const path of [strange, `${strange}/messages`, `${strange}/messages/1/audio`]) {
      expect([path, (await account.request(path)).status]).toEqual([path, 404]);
    }
    expect((await account.call(call.callId)).ended).toBeNull();
    expect((await stranger.list('/api/calls')).total).toBe(0);
  });
});

describe('SIP logs', () => {
  it('exist only for SIP calls', async () => {
    const call = await startCall();
    expect((await account.request(`${call.path}/sip_logs`)).status).toBe(404);
  });
});
