import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallStage } from '@calls/api-contract/rest/call-records';
import type { Message } from '@calls/api-contract/rest/message';
import type { Tool } from '@calls/api-contract/rest/tool-resource';
import { newId } from '@calls/foundation/ids';
import { createControlPlaneQueries } from '@calls/media-worker/control-plane-queries/control-plane-queries';
import { endedEntry } from '@calls/testkit/ended-entry';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../../support/control-plane-harness.ts';
import { corpusOf } from '../../support/corpora/corpus-of.ts';
import { eventually } from '../../support/eventually.ts';
import { crm, liveCall as callOf } from '../../support/live-call.ts';

const { signal: never } = new AbortController();

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
const queries = createControlPlaneQueries(harness.bus.requests, JOIN_TOKEN_SECRETS);
afterAll(() => harness.stop());

const liveCall = (settings?: Record<string, unknown>) => callOf(harness, account, settings);

describe('stage messages', () => {
  const said = (role: 'USER' | 'AGENT' | 'TOOL_CALL' | 'TOOL_RESULT', text: string, more = {}): Message => ({
    role: `MESSAGE_ROLE_${role}`,
    text,
    ...more,
  });
  const about = { invocationId: 'i1', toolName: 'crm' };

  it('are listed once in the call, completely in their stage, and inherited from the last one', async () => {
    const tool = await account.post<Tool>('/api/tools', {
      name: `crm ${newId()}`,
      definition: { ...crm, requirements: {} },
    });
    const selectedTools = [{ toolId: tool.body.toolId, nameOverride: 'crm' }];
    const call = await liveCall({ systemPrompt: 'One.', selectedTools });
    const first = [
      said('AGENT', 'Hello.'),
      said('TOOL_CALL', '{"id":"7"}', about),
      said('TOOL_RESULT', 'Error: no', { ...about, errorDetails: 'no' }),
    ];
    await call.say(call.firstStageId, first);
    const second = await call.resolve({ systemPrompt: 'Two.' }, { carried: 2 });
    await call.say(second.stageId, [...first, said('USER', 'And now?')]);
    const event = { stageId: second.stageId, callTimestampMs: 1, text: 'x', extras: null };
    await call.publish({ type: 'noted', ...event, severity: 'warning', eventType: 'tool_error' });
    await call.publish({ type: 'noted', ...event, severity: 'warning', eventType: 'tool_warning' });
    await call.begin(second, 3);
    const texts = async (path: string): Promise<(string | undefined)[]> =>
      (await account.list<Message>(`${call.path}${path}`)).results.map(({ text }) => text);
    const carried = ['Hello.', '{"id":"7"}', 'Error: no'];
    expect(await texts('/messages')).toEqual([...carried, 'And now?']);
    expect(await texts('/messages?mode=in_call')).toEqual([...carried, 'And now?']);
    expect(await texts(`/stages/${call.firstStageId}/messages`)).toEqual(carried);
    expect(await texts(`/stages/${second.stageId}/messages`)).toEqual([...carried, 'And now?']);
    const stages = (await account.list<CallStage>(`${call.path}/stages`)).results;
    expect(stages.map(({ errorCount }) => errorCount)).toEqual([0, 1]);
    const history = await account.list<{ errorCount: number }>(`/api/tools/${tool.body.toolId}/history`);
    expect(history.results).toMatchObject([{ errorCount: 1 }]);

    const { body } = await account.post<Call>(`/api/calls?priorCallId=${call.callId}`, {});
    expect(body.systemPrompt).toBe('One.');
    const delivery = await (async () => {
      for (;;) {
        const taken = await harness.bus.createdCalls.take('standard', 60_000, never);
        taken!.ack();
        if (taken!.call.spec.callId === body.callId) return taken!.call;
      }
    })();
    expect(delivery.spec.firstStage.initialMessages).toEqual([...first, said('USER', 'And now?')]);
  });

  it('that a stage starts with do not count as spoken in it', async () => {
    const call = await liveCall();
    await call.say(call.firstStageId, [said('AGENT', 'Hello.')]);
    const given = [said('USER', 'Given')];
    const second = await call.resolve({ initialMessages: given }, { carried: 1 });
    await call.say(second.stageId, [...given, said('AGENT', 'So?')]);
    await call.begin(second, 1);
    const texts = async (mode: string): Promise<(string | undefined)[]> =>
      (await account.list<Message>(`${call.path}/messages?mode=${mode}`)).results.map(({ text }) => text);
    expect(await texts('in_call')).toEqual(['Hello.', 'So?']);
    expect(await texts('last_stage')).toEqual(['Given', 'So?']);
  });

  it('are deleted with their call, as are the stages', async () => {
    const call = await liveCall({ selectedTools: [{ toolName: 'leaveVoicemail' }] });
    const second = await call.resolve({});
    await call.say(second.stageId, [said('AGENT', 'Hello.')]);
    await call.publish(endedEntry({ joinedAtMs: Date.now() }));
    await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
    expect((await account.send('DELETE', call.path)).status).toBe(204);
    const { rows } = await harness.query(
      `select stage_id from call_stages where call_id = $1 union all select stage_id from call_tools where call_id = $1
       union all select stage_id from call_messages where call_id = $1`,
      call.callId,
    );
    expect(rows).toEqual([]);
  });
});

describe('corpora of live calls', () => {
  const ask = (corpusId: string, query: string, maxResults = 5, accountId = account.accountId) =>
    queries.corpora.query({ accountId, corpusId, query, maxResults }, never);

  it('return the same results as the API', async () => {
    const corpusId = await corpusOf(
      harness.store.db,
      account.accountId,
      '# Hours\n\nThe museum opens at ten in the morning.',
      '# Tickets\n\nChildren need no ticket for the museum.',
    );
    const query = 'When does the museum open?';
    const found = await ask(corpusId, query);
    expect(found[0]?.content).toContain('opens at ten');
    const { body } = await account.post(`/api/corpora/${corpusId}/query`, { query, maxResults: 5 });
    expect(found).toEqual(body);
    expect(await ask(corpusId, 'museum', 1)).toHaveLength(1);
    const stranger = await harness.account();
    const unknown = {
      code: 'no_such_corpus',
      message: `the account has no corpus ${corpusId}`,
      retryable: false,
    };
    await expect(ask(corpusId, query, 5, stranger.accountId)).rejects.toMatchObject(unknown);
  });

  it('report an unknown corpus', async () => {
    await expect(ask(newId(), 'x')).rejects.toMatchObject({ code: 'no_such_corpus' });
    await expect(ask('handbook', 'x')).rejects.toMatchObject({
      message: 'the account has no corpus handbook',
    });
    await expect(ask(newId(), 'x'.repeat(4097))).rejects.toMatchObject({ code: 'validation_failed' });
  });
});
