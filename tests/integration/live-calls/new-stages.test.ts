import { afterAll, describe, expect, it } from '@jest/globals';
import type { StageSpec } from '@calls/api-contract/call-spec';
import type { CallStage } from '@calls/api-contract/rest/call-records';
import type { CallTool, Tool } from '@calls/api-contract/rest/tool-resource';
import type { Voice } from '@calls/api-contract/rest/voice';
import { BUILT_IN_TOOLS } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import { InvalidStageError } from '@calls/conversation/ports/tools';
import { newId } from '@calls/foundation/ids';
import type { Issue } from '@calls/foundation/schema/validator';
import { createControlPlaneQueries } from '@calls/media-worker/control-plane-queries/control-plane-queries';
import { endedEntry } from '@calls/testkit/ended-entry';
import { connect as connectNats } from 'nats';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';
import { crm, liveCall as callOf } from '../../support/live-call.ts';

const KEY = 'sk-of-the-account-0123456789';
const TOKEN = 'token-of-the-customer-9876543210';

const { signal: never } = new AbortController();

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
await account.send('PATCH', '/api/accounts/me/tts_api_keys', { provider1: KEY });
const queries = createControlPlaneQueries(harness.bus.requests, JOIN_TOKEN_SECRETS);
afterAll(() => harness.stop());

const liveCall = (settings?: Record<string, unknown>, owner = account) => callOf(harness, owner, settings);

async function refusal(resolving: Promise<unknown>): Promise<Issue[]> {
  const thrown: unknown = await resolving.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof InvalidStageError)) throw new Error(`no refusal but ${String(thrown)}`);
  return [...thrown.issues];
}

describe('a new call stage', () => {
  it('inherits the settings of the previous stage except those that the tool changes', async () => {
    const call = await liveCall({
      systemPrompt: 'You are the receptionist.',
      temperature: 0.3,
      languageHint: 'en-GB',
      keyTerms: ['Ada'],
      voice: 'Bruno',
      timeExceededMessage: 'Time is up.',
      inactivityMessages: [{ duration: '8s', message: 'Hello?' }],
      initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'Before' }],
      initialState: { room: 12 },
      vadSettings: { turnEndpointDelay: '0.5s' },
    });
    const sales = await call.resolve({
      systemPrompt: 'You sell rooms to {{name}}.',
      voice: 'Clara',
      languageHint: 'de',
      initialState: { offer: 1 },
    });
    expect(sales).toMatchObject({
      systemPrompt: 'You sell rooms to {{name}}.',
      temperature: 0.3,
      model: 'svc-v0.7',
      languageHint: 'de',
      keyTerms: ['Ada'],
      voice: { engine: 'espeak-ng', settings: { voice: 'Clara' } },
      timeExceededMessage: 'Time is up.',
      inactivityMessages: [{ delayMs: 8000, text: 'Hello?', hangUp: 'never' }],
      initialMessages: [],
      vad: { turnEndpointDelayMs: 500 },
      initialState: { offer: 1 },
      tools: [],
    });
    const next = await call.resolve(
      { temperature: 1, initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'Now' }], vadSettings: {} },
      { from: sales.stageId },
    );
    expect(next).toMatchObject({
      systemPrompt: sales.systemPrompt,
      voice: sales.voice,
      languageHint: 'de',
      temperature: 1,
      initialState: { offer: 1 },
      initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'Now' }],
      vad: { turnEndpointDelayMs: 384 },
    });
    // Stages that the call has not entered are not visible.
    expect((await account.list(`${call.path}/stages`)).total).toBe(1);
    await call.begin(sales);
    await call.begin(next);
    const { results } = await account.list<CallStage>(`${call.path}/stages`);
    expect(results.map(({ callStageId }) => callStageId)).toEqual([
      call.firstStageId,
      sales.stageId,
      next.stageId,
    ]);
    expect(results[0]).toMatchObject({ voice: 'Bruno', languageHint: 'en-GB', keyTerms: ['Ada'] });
    expect(results[2]).toMatchObject({
      voice: 'Clara',
      systemPrompt: 'You sell rooms to {{name}}.',
      temperature: 1,
      languageHint: 'de',
      initialState: { offer: 1 },
      inactivityMessages: [{ duration: '8s', message: 'Hello?' }],
      timeExceededMessage: 'Time is up.',
      initialTokenCount: null,
      errorCount: 0,
    });
    expect(await account.call(call.callId)).toMatchObject({ voice: 'Bruno', temperature: 0.3 });
  });

  it('has one voice with the required provider key of the account', async () => {
    const name = `voice ${newId().slice(-8)}`;
    const definition = { provider1: { voiceId: 'v1', speed: 1 } };
    expect((await account.post<Voice>('/api/voices', { name, definition })).status).toBe(201);
    const call = await liveCall({ voice: name, voiceOverrides: { provider1: { speed: 1.1 } } });
    const stages: StageSpec[] = [];
    for (const body of [
      {},
      { voiceOverrides: { provider1: { style: 0.5 } } },
      { externalVoice: { generic: { url: 'http://127.0.0.1:9/say', headers: { 'X-Key': TOKEN } } } },
      {},
      { voice: 'Alba' },
    ]) {
      const from = stages.at(-1)?.stageId ?? call.firstStageId;
      stages.push(await call.resolve(body, { from }));
      await call.begin(stages.at(-1)!);
    }
    const generic = { engine: 'generic', settings: { headers: { 'X-Key': TOKEN } } };
    expect(stages.map(({ voice }) => voice)).toMatchObject([
      { engine: 'provider1', settings: { voiceId: 'v1', speed: 1.1, apiKey: KEY } },
      { engine: 'provider1', settings: { voiceId: 'v1', speed: 1, style: 0.5, apiKey: KEY } },
      generic,
      generic,
      { engine: 'espeak-ng', settings: { voice: 'Alba' } },
    ]);
    const { results } = await account.list<CallStage>(`${call.path}/stages`);
    const shown = { generic: { url: 'http://127.0.0.1:9/say' } };
    expect(
      results.map(({ voice, externalVoice, voiceOverrides }) => ({ voice, externalVoice, voiceOverrides })),
    ).toEqual([
      { voice: name, voiceOverrides: { provider1: { speed: 1.1 } } },
      { voice: name, voiceOverrides: { provider1: { speed: 1.1 } } },
      { voice: name, voiceOverrides: { provider1: { style: 0.5 } } },
      { voice: null, externalVoice: shown },
      { voice: null, externalVoice: shown },
      { voice: 'Alba' },
    ]);
  });

  it('has the tools that it names or those of the previous stage', async () => {
    const own = await account.post<Tool>('/api/tools', {
      name: 'hangUp',
      definition: { modelToolName: 'hangUp', client: {} },
    });
    expect(own.status).toBe(201);
    const builtInId = BUILT_IN_TOOLS.find(({ name }) => name === 'hangUp')?.toolId;
    const call = await liveCall({ selectedTools: [{ temporaryTool: crm, authTokens: { token: TOKEN } }] });
    const inherited = await call.resolve({ temperature: 1 });
    expect(inherited.tools).toMatchObject([
      { name: 'crm', builtIn: null, auth: { headers: { 'X-Token': TOKEN }, queryParams: {} } },
    ]);
    const named = await call.resolve(
      {
        selectedTools: [
          { toolName: 'hangUp' },
          { toolId: builtInId, nameOverride: 'end', parameterOverrides: { strict: false } },
          { temporaryTool: crm, authTokens: { token: `${TOKEN}2` }, nameOverride: 'look' },
        ],
      },
      { from: inherited.stageId },
    );
    expect(named.tools).toMatchObject([
      { name: 'hangUp', builtIn: null, definition: { client: {} } },
      {
        name: 'end',
        builtIn: 'hangUp',
        definition: { staticParameters: [{ name: 'strict', value: false }] },
      },
      { name: 'look', auth: { headers: { 'X-Token': `${TOKEN}2` } } },
    ]);
    const none = await call.resolve({ selectedTools: [] }, { from: named.stageId });
    expect(none.tools).toEqual([]);
    for (const stage of [inherited, named, none]) await call.begin(stage);
    const toolsOf = async ({ stageId }: StageSpec): Promise<string[]> =>
      (await account.request<CallTool[]>(`${call.path}/stages/${stageId}/tools`)).body.map(
        (tool) => tool.name,
      );
    expect([await toolsOf(inherited), await toolsOf(named), await toolsOf(none)]).toEqual([
      ['crm'],
      ['hangUp', 'end', 'look'],
      [],
    ]);
    const all = await account.request<CallTool[]>(`${call.path}/tools`);
    expect(all.body.map(({ name }) => name)).toEqual(['crm', 'crm', 'hangUp', 'end', 'look']);
  });

  it.each<[string, unknown, string[]]>([
    ['a body that is not an object', ['systemPrompt'], ['']],
    ['null', null, ['']],
    [
      'unknown fields',
      { systemPromt: 'x', medium: {}, firstSpeaker: 'x' },
      ['firstSpeaker', 'medium', 'systemPromt'],
    ],
    ['values of the wrong type', { temperature: 2, systemPrompt: 5 }, ['systemPrompt', 'temperature']],
    ['text with a NUL character', { systemPrompt: 'a\0b' }, ['systemPrompt']],
    ['an invalid language', { languageHint: 'en-GB-GB' }, ['languageHint']],
    [
      'durations out of range',
      {
        inactivityMessages: [{ duration: '3601s', message: 'x' }],
        vadSettings: { minimumTurnDuration: '-1s' },
      },
      ['inactivityMessages.0.duration', 'vadSettings.minimumTurnDuration'],
    ],
    [
      'an unknown model, voice and tool',
      { model: 'svc-v9', voice: 'Unknown', selectedTools: [{ toolName: 'nothing' }] },
      ['model', 'selectedTools.0.toolName', 'voice'],
    ],
    ['two voices', { voice: 'Alba', externalVoice: { provider1: { voiceId: 'x' } } }, ['externalVoice']],
    [
      'overrides of a voice without a provider',
      { voiceOverrides: { provider1: { speed: 1 } } },
      ['voiceOverrides.provider1'],
    ],
    [
      'a voice of a provider without a key',
      { externalVoice: { provider2: { voiceId: 'x' } } },
      ['externalVoice.provider2'],
    ],
    [
      'a voice at a forbidden address',
      { externalVoice: { generic: { url: 'http://10.0.0.1/say' } } },
      ['externalVoice.generic.url'],
    ],
    [
      'a tool at a forbidden address',
      {
        selectedTools: [
          {
            temporaryTool: {
              ...crm,
              requirements: {},
              http: { ...crm.http, baseUrlPattern: 'http://10.0.0.1/{id}' },
            },
          },
        ],
      },
      ['selectedTools.0.temporaryTool.http.baseUrlPattern'],
    ],
    ['a tool without its token', { selectedTools: [{ temporaryTool: crm }] }, ['selectedTools.0.authTokens']],
    [
      'duplicate tool names',
      { selectedTools: [{ toolName: 'playDtmfSounds' }, { toolName: 'playDtmfSounds' }] },
      ['selectedTools.1.toolName'],
    ],
    [
      'a tool over a missing data connection',
      { selectedTools: [{ temporaryTool: { modelToolName: 'x', dataConnection: {} } }] },
      ['selectedTools.0'],
    ],
    [
      'more than a megabyte of data',
      { systemPrompt: 'x', initialState: { much: 'x'.repeat(1024 * 1024) } },
      [''],
    ],
  ])('is rejected with %s', async (_, body, paths) => {
    const call = await liveCall({ voice: 'Bruno' });
    const issues = await refusal(call.resolve(body));
    expect(issues.map(({ path }) => path).sort()).toEqual(paths);
    const { rows } = await harness.query('select 1 from call_stages where call_id = $1', call.callId);
    expect(rows).toHaveLength(1);
  });

  it('requires a live call of the account and an existing stage of that call', async () => {
    const other = await liveCall({}, await harness.account());
    const call = await liveCall();
    const ask = (more: { callId?: string; currentStageId?: string }) =>
      queries.stages.resolve(
        {
          accountId: account.accountId,
          callId: call.callId,
          currentStageId: call.firstStageId,
          stageId: newId(),
          body: {},
          carriedMessages: 0,
          ...more,
        },
        never,
      );
    const notLive = { code: 'call_not_live', retryable: false };
    await expect(ask({ callId: other.callId, currentStageId: other.firstStageId })).rejects.toMatchObject(
      notLive,
    );
    await expect(ask({ callId: newId() })).rejects.toMatchObject(notLive);
    await expect(ask({ currentStageId: other.firstStageId })).rejects.toMatchObject({
      code: 'no_such_stage',
    });
    await expect(ask({ currentStageId: 'none' })).rejects.toMatchObject({ code: 'validation_failed' });
    await call.publish(endedEntry({ joinedAtMs: Date.now() }));
    await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
    await expect(ask({})).rejects.toMatchObject(notLive);
  });

  it('is created once for repeated requests', async () => {
    const call = await liveCall({ selectedTools: [{ temporaryTool: crm, authTokens: { token: TOKEN } }] });
    const stageId = newId();
    const body = { systemPrompt: 'Two.', voice: 'Clara', initialMessages: [{ text: 'x' }] };
    const stages = await Promise.all([1, 2, 3].map(() => call.resolve(body, { stageId })));
    stages.push(await call.resolve(body, { stageId }));
    for (const stage of stages) expect(stage).toEqual(stages[0]);
    expect(stages[0]).toMatchObject({ stageId, systemPrompt: 'Two.', tools: [{ name: 'crm' }] });
    const { rows } = await harness.query(
      'select stage_index, initial_message_count from call_stages where call_id = $1 order by 1',
      call.callId,
    );
    expect(rows).toEqual([
      { stage_index: 0, initial_message_count: 0 },
      { stage_index: 1, initial_message_count: 1 },
    ]);
    const elsewhere = await liveCall();
    await expect(elsewhere.resolve(body, { stageId })).rejects.toMatchObject({ retryable: true });
  });

  it('has encrypted secrets in transit and at rest', async () => {
    const { host, username: token } = new URL(harness.nats.url);
    const tap = await connectNats({ servers: host, token });
    const seen: string[] = [];
    tap.subscribe('>', {
      callback: (_, { data, subject }) => seen.push(`${subject} ${Buffer.from(data).toString('latin1')}`),
    });
    await tap.flush();
    const call = await liveCall({ externalVoice: { provider1: { voiceId: 'v1' } } });
    const stage = await call.resolve({
      selectedTools: [{ temporaryTool: crm, authTokens: { token: TOKEN } }],
    });
    const next = await call.resolve(
      { externalVoice: { generic: { url: 'http://127.0.0.1:9/say', headers: { Authorization: TOKEN } } } },
      { from: stage.stageId },
    );
    expect(stage.voice.settings['apiKey']).toBe(KEY);
    expect(next.tools[0]!.auth.headers).toEqual({ 'X-Token': TOKEN });
    expect(next.voice.settings['headers']).toEqual({ Authorization: TOKEN });
    await tap.flush();
    await tap.close();
    const wire = seen.join('\n');
    expect(wire.match(/live_calls\.stages/gu)).toHaveLength(2);
    expect(wire).toContain(next.stageId);
    expect(wire).not.toMatch(new RegExp(`${KEY}|${TOKEN}`, 'u'));
    const { rows } = await harness.query(
      `select row_to_json(s)::text as row from call_stages s where call_id = $1
       union all select row_to_json(t)::text from call_tools t where call_id = $1`,
      call.callId,
    );
    expect(rows).toHaveLength(5);
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${KEY}|${TOKEN}`, 'u'));
  });
});
