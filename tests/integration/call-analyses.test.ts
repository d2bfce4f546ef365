import { afterAll, describe, expect, it } from '@jest/globals';
import { FEATURES } from '@calls/api-contract/rest/account';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallAnalysis } from '@calls/api-contract/rest/call-analysis';
import { analyzeCall } from '@calls/dispatcher/analyses/analyze-call';
import { createDispatcher, type Dispatcher } from '@calls/dispatcher/dispatcher';
import { systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { dispatcherConfig } from '../support/dispatcher-config.ts';
import { endedCall } from '../support/ended-call.ts';
import { eventually } from '../support/eventually.ts';
import { LONG_ENGINE_LIMITS_ENV } from '../support/lifted-limits.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const ANALYSIS = {
  dataSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, nights: { type: 'integer' } },
    required: ['city'],
  },
  successCriteria: [{ name: 'booked', prompt: 'The user booked a room.' }],
};

const answer = (data: object, outcome: string): string =>
  JSON.stringify({ data, criteria: { booked: { outcome, reason: `It is a ${outcome}.` } } });

/** Responses of the model, selected by the content of the prompt. */
const RULES = [
  {
    contains: 'That answer cannot be used: data.nights must be an integer',
    reply: answer({ city: 'Basel', nights: 2 }, 'failure'),
  },
  { contains: 'That answer cannot be used', reply: 'I am sorry.' },
  { contains: 'User: A room in Bern', reply: `Gladly: ${answer({ city: 'Bern', nights: 3 }, 'success')}` },
  { contains: 'User: A room in Basel', reply: answer({ city: 'Basel', nights: 'two' }, 'failure') },
  { contains: 'User: A room in Zug', reply: 'Zug is a nice city.' },
].map((rule) => ({ last: 'user' as const, ...rule }));

const FIRST_TOKEN_TIMEOUT_MS = 200;

let dispatcher: Dispatcher;

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, [...FEATURES]);
const model = await startAiStandIn();
await model.control({ llm: { rules: RULES } });
const webhook = await WebhookReceiver.start();
const created = await account.post('/api/webhooks', {
  url: webhook.url,
  events: ['call.ended', 'call.analyzed'],
});
expect(created.status).toBe(201);
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]();
  await webhook[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await harness.stop();
});

/** Creates an ended call about a room in this city. */
const callAbout = (city: string, settings: object = {}): Promise<string> =>
  endedCall(
    harness,
    account,
    [
      { role: 'MESSAGE_ROLE_USER', text: `A room in ${city}, please.` },
      { role: 'MESSAGE_ROLE_TOOL_CALL', toolName: 'book', invocationId: 'b1', text: '{"room": 12}' },
    ],
    { analysisSettings: ANALYSIS, ...settings },
  );

const analysisOf = async (callId: string): Promise<CallAnalysis | undefined> =>
  (await account.call(callId)).analysis;

const completed = (callId: string): Promise<CallAnalysis> =>
  eventually(async () => {
    const analysis = await analysisOf(callId);
    if (!analysis?.completed) throw new Error('the analysis is not completed');
    return analysis;
  });

const again = (callId: string) =>
  account.post<CallAnalysis & { code: string }>(`/api/calls/${callId}/analysis`, {});

const reported = (callId: string): [string, string | undefined][] =>
  webhook.received
    .map(({ body }) => JSON.parse(body) as { event: string; call: Call })
    .filter(({ call }) => call.callId === callId)
    .map(({ event, call }) => [event, call.analysis?.status]);

const found = async (query: string): Promise<string[]> =>
  (await account.list<Call>(`/api/calls?${query}`)).results.map(({ callId }) => callId);

describe('call analyses', () => {
  it('fail with the reason when the last attempt reaches its time limit', async () => {
    const callId = await callAbout('Bern');
    const { db } = harness.store;
    const { run_id: runId } = await db
      .selectFrom('call_analysis_requests')
      .select('run_id')
      .where('call_id', '=', callId)
      .executeTakeFirstOrThrow();
    await analyzeCall(
      {
        ...{ db, checksOf: inProcessChecksOf, clock: systemClock, log: silentLogger },
        languageModel: {
          acceptsAudio: () => false,
          respond: (_request, signal) => {
            throw signal.reason;
          },
        },
        isScript: () => false,
        notifications: { analyzed: () => Promise.resolve() },
      },
      { callId, runId },
      { signal: AbortSignal.abort(), isLastAttempt: true },
    );
    const failureReason = 'The language model took too long to answer.';
    expect(await analysisOf(callId)).toMatchObject({ status: 'failed', failureReason });
  });

  it('are pending until a dispatcher completes them, then reach webhooks and call list filters', async () => {
    const callId = await callAbout('Bern');
    expect(await analysisOf(callId)).toMatchObject({ status: 'pending', completed: null, criteria: [] });
    expect(await again(callId)).toMatchObject({ status: 409, body: { code: 'analysis_pending' } });
    const providers = readProviderConfig(
      new EnvReader({
        ...LONG_ENGINE_LIMITS_ENV,
        // That of live calls.
        LLM_FIRST_TOKEN_TIMEOUT_MS: String(FIRST_TOKEN_TIMEOUT_MS),
        LLM_BASE_URL: model.baseUrl,
        LLM_MODEL: 'large',
      }),
    );
    dispatcher = await createDispatcher(dispatcherConfig(harness, { providers }), silentLogger);

    expect(await completed(callId)).toMatchObject({
      status: 'done',
      model: 'svc-v0.7',
      outcome: 'success',
      criteria: [{ name: 'booked', outcome: 'success', reason: 'It is a success.' }],
      data: { city: 'Bern', nights: 3 },
      failureReason: null,
    });
    await eventually(() =>
      expect(reported(callId)).toEqual([
        ['call.ended', 'pending'],
        ['call.analyzed', 'done'],
      ]),
    );
    const { recent } = await model.requests();
    const prompts = recent.map(({ asked }) => String(asked['lastUser']));
    expect(prompts.find((prompt) => prompt.includes('"criteria"'))).toContain('Tool call book: {"room": 12}');

    expect(await found('analysisOutcome=success')).toEqual([callId]);
    const matching = 'analysisCriteria[booked]=success&analysisData[city]=Bern&analysisData[nights]=3';
    expect(await found(matching)).toEqual([callId]);
    expect(await found(`${matching}&analysisOutcome=failure`)).toEqual([]);
    expect(await found('analysisData[city]=bern')).toEqual([]);
    expect((await account.request('/api/calls?analysisOutcome=good')).status).toBe(400);
    const other = await harness.account();
    expect(await other.list('/api/calls?analysisData[city]=Bern')).toMatchObject({ total: 0 });
  });

  it('wait longer for the first token of the model than a live call', async () => {
    await model.control({ llm: { firstTokenMs: 3 * FIRST_TOKEN_TIMEOUT_MS } });
    expect(await completed(await callAbout('Bern'))).toMatchObject({ status: 'done' });
    await model.control({ llm: { firstTokenMs: 0 } });
  });

  it('can be requested again', async () => {
    const callId = await callAbout('Bern');
    const first = await completed(callId);
    await eventually(() => expect(reported(callId)).toHaveLength(2));
    const requested = await again(callId);
    expect(requested).toMatchObject({ status: 201, body: { status: 'pending', criteria: [] } });
    const second = await completed(callId);
    expect(second).toMatchObject({ status: 'done', data: first.data, requested: requested.body.requested });
    await eventually(() => expect(reported(callId)).toHaveLength(3));
  });

  it('request a second answer when the first does not match the schema', async () => {
    expect(await completed(await callAbout('Basel'))).toMatchObject({
      status: 'done',
      outcome: 'failure',
      data: { city: 'Basel', nights: 2 },
    });
  });

  it('fail with the reason when the second answer is invalid too', async () => {
    const callId = await callAbout('Zug');
    expect(await completed(callId)).toMatchObject({
      status: 'failed',
      outcome: null,
      criteria: [],
      failureReason: 'The model gave no usable answer: it is not a JSON object.',
    });
    await eventually(() => expect(reported(callId)).toContainEqual(['call.analyzed', 'failed']));
  });

  it('fail with the reason when the model is an embedded script', async () => {
    expect(await completed(await callAbout('Bern', { model: 'svc-local' }))).toMatchObject({
      status: 'failed',
      failureReason:
        'The model svc-local is an embedded script, which cannot analyze calls. Configure a language model.',
    });
  });

  it('fail with the reason when the user said nothing', async () => {
    const callId = await endedCall(harness, account, [], { analysisSettings: ANALYSIS });
    expect(await completed(callId)).toMatchObject({ failureReason: 'The user said nothing.' });
  });

  it('fail without a result when the model rejects the request', async () => {
    await model.control({ llm: { behaviour: 'error', errorStatus: 401 } });
    const callId = await callAbout('Bern');
    expect(await completed(callId)).toMatchObject({
      status: 'failed',
      failureReason: 'The language model failed: refused.',
    });
    await model.control({ llm: { behaviour: 'ok' } });
    expect((await again(callId)).status).toBe(201);
    expect(await completed(callId)).toMatchObject({ status: 'done', failureReason: null });
  });

  it('do not exist for live calls, without settings, or when messages are not retained', async () => {
    const unretained = await callAbout('Bern', { retentionPolicy: 'CALL_RETENTION_POLICY_ZDR' });
    const unasked = await endedCall(harness, account, [{ role: 'MESSAGE_ROLE_USER', text: 'Hello.' }]);
    const live = (await account.createCall({ analysisSettings: ANALYSIS })).callId;
    for (const callId of [unretained, unasked, live]) {
      expect(await again(callId)).toMatchObject({ status: 422, body: { code: 'not_analyzable' } });
      expect(await analysisOf(callId)).toBeUndefined();
    }
  });

  it('no longer match list filters after the call is deleted', async () => {
    const callId = await callAbout('Basel');
    await completed(callId);
    expect(await found('analysisData[city]=Basel')).toContain(callId);
    expect((await account.send('DELETE', `/api/calls/${callId}`)).status).toBe(204);
    const { results } = await account.list<Call>('/api/deleted_calls?analysisData[city]=Basel');
    expect(results).toEqual([]);
    expect((await account.request(`/api/deleted_calls/${callId}`)).status).toBe(200);
  });
});

describe('analysis settings', () => {
  it('are rejected with the path of each problem', async () => {
    const pattern = '(a+)+\\1';
    const { status, body } = await account.post('/api/calls', {
      analysisSettings: {
        dataSchema: { type: 'object', properties: { city: { type: 'string', pattern } } },
        successCriteria: [ANALYSIS.successCriteria[0], ANALYSIS.successCriteria[0]],
      },
    });
    expect(status).toBe(400);
    expect(body.errors?.map(({ path }) => path)).toEqual([
      'analysisSettings.dataSchema',
      'analysisSettings.successCriteria.1.name',
    ]);
  });

  it('are part of the template of an agent and of its calls', async () => {
    const agent = await account.post<{ agentId: string }>('/api/agents', {
      name: 'Ada',
      callTemplate: { analysisSettings: ANALYSIS },
    });
    expect(agent.status).toBe(201);
    const call = await account.post<Call>(`/api/agents/${agent.body.agentId}/calls`, {
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
    });
    expect(call.body.analysisSettings).toEqual(ANALYSIS);
  });
});
