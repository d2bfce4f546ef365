import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import type { ApiError } from '@calls/api-contract/rest/common';
import { newId } from '@calls/foundation/ids';
import { sql } from 'kysely';
import { ControlPlaneHarness, type ApiResponse } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const medium = { serverWebSocket: { inputSampleRate: 16_000 } };

function save(callTemplate: CallTemplate, by = account): Promise<ApiResponse<Agent & ApiError>> {
  return by.post<Agent & ApiError>('/api/agents', { name: 'Ada', callTemplate });
}

async function agentOf(callTemplate: CallTemplate): Promise<Agent> {
  const saved = await save({ medium, ...callTemplate });
  expect(saved).toMatchObject({ status: 201 });
  return saved.body;
}

function call(agent: Agent, request: object = {}, query = ''): Promise<ApiResponse<Call & ApiError>> {
  return account.post<Call & ApiError>(`/api/agents/${agent.agentId}/calls${query}`, request);
}

function issuePaths({ body, status }: ApiResponse<ApiError>): string[] {
  expect(status).toBe(400);
  return (body.errors ?? []).map(({ path }) => path).sort();
}

/** The call configuration as stored in the database. */
async function settingsOf({ callId }: Call): Promise<Record<string, unknown>> {
  const { rows } = await sql<{ settings: Record<string, unknown> }>`
    select settings from calls where call_id = ${callId}`.execute(harness.store.db);
  return rows[0]!.settings;
}

const temporary = (modelToolName: string, more: object = {}) => ({
  temporaryTool: { modelToolName, client: {}, ...more },
});

describe('an agent template', () => {
  it('is rendered with the context of each call', async () => {
    const agent = await agentOf({
      systemPrompt: 'You help {{user.name}}, {{ user.age }}.',
      languageHint: '{{lang}}',
      timeExceededMessage: 'Bye {{user.name}}',
      inactivityMessages: [{ duration: '5s', message: 'Still there, {{user.name}}?' }],
      firstSpeakerSettings: { agent: { text: '{{as it is}}' } },
    });
    const templateContext = { user: { name: '{{lang}} & "Bo"', age: 7 }, lang: 'en-GB' };
    expect(await call(agent, { templateContext })).toMatchObject({
      status: 201,
      body: {
        systemPrompt: 'You help {{lang}} & "Bo", 7.',
        languageHint: 'en-GB',
        timeExceededMessage: 'Bye {{lang}} & "Bo"',
        inactivityMessages: [{ message: 'Still there, {{lang}} & "Bo"?' }],
        firstSpeakerSettings: { agent: { text: '{{as it is}}' } },
        agentId: agent.agentId,
        agent: { agentId: agent.agentId, name: 'Ada' },
      },
    });
  });

  it('can be replaced for one call, with its stored secrets', async () => {
    const sharedSecrets = ['a secret of the agent'];
    const agent = await agentOf({ systemPrompt: 'Old {{city}}', temperature: 0.4, sharedSecrets });
    const callTemplate = { systemPrompt: 'New {{city}} in {{season}}', recordingEnabled: true };
    const templateContext = { city: 'Rome', season: 'May' };
    const replaced = await call(agent, { callTemplate, templateContext });
    expect(replaced).toMatchObject({
      status: 201,
      body: {
        systemPrompt: 'New Rome in May',
        temperature: 0,
        recordingEnabled: true,
        agentId: agent.agentId,
        agentRevisionId: null,
      },
    });
    const stored = await settingsOf((await call(agent, { templateContext: { city: 'Rome' } })).body);
    expect(stored).toMatchObject({ systemPrompt: 'Old Rome', temperature: 0.4 });
    expect(await settingsOf(replaced.body)).toHaveProperty('sharedSecrets');
    expect(stored).toHaveProperty('sharedSecrets');
    const later = await account.request<Agent>(`/api/agents/${agent.agentId}`);
    expect(later.body).toEqual({ ...agent, statistics: { calls: 2 } });
    expect(issuePaths(await call(agent, { callTemplate: { systemPrompt: 'Hi {{' } }))).toEqual([
      'callTemplate.systemPrompt',
    ]);
    expect(issuePaths(await call(agent, { callTemplate: { temperature: 7 } }))).toEqual([
      'callTemplate.temperature',
    ]);
    expect(issuePaths(await call(agent, { callTemplate }))).toEqual([
      'templateContext.city',
      'templateContext.season',
    ]);
  });

  it('applies its phone menu settings only to outgoing calls unless the request contains them', async () => {
    const agent = await agentOf({ answeringMachineDetection: {}, ivrNavigation: { mode: 'on' } });
    const plain = await call(agent);
    expect(plain.status).toBe(201);
    expect(await settingsOf(plain.body)).not.toHaveProperty('ivrNavigation');
    expect(await settingsOf(plain.body)).not.toHaveProperty('answeringMachineDetection');
    const named = await call(agent, { ivrNavigation: { mode: 'on' } });
    expect(await settingsOf(named.body)).toMatchObject({ ivrNavigation: { mode: 'on' } });
  });

  it('requires every variable that it uses unless its schema makes it optional', async () => {
    const systemPrompt = 'Hi {{user.name}} of {{city}}';
    const strict = await agentOf({ systemPrompt });
    expect(issuePaths(await call(strict))).toEqual(['templateContext.city', 'templateContext.user']);
    const wrong = { templateContext: { user: 'Bo', city: ['Rome'] } };
    expect(issuePaths(await call(strict, wrong))).toEqual(['templateContext.user']);
    const lenient = await agentOf({
      systemPrompt,
      contextSchema: {
        type: 'object',
        properties: { user: { type: 'object' }, city: { enum: ['Rome', null] } },
      },
    });
    const filled = await call(lenient, { templateContext: { user: { name: ['a'] } } });
    expect(filled.body.systemPrompt).toBe('Hi ["a"] of ');
    expect(issuePaths(await call(lenient, { templateContext: { city: 'Oslo' } }))).toEqual([
      'templateContext.city',
    ]);
  });

  it('is validated again after it is rendered', async () => {
    const agent = await agentOf({ systemPrompt: '{{a}}{{a}}', languageHint: '{{lang}}' });
    const a = 'x'.repeat(300_000);
    expect(issuePaths(await call(agent, { templateContext: { a: '', lang: 'not a tag' } }))).toEqual([
      'callTemplate.languageHint',
    ]);
    expect(issuePaths(await call(agent, { templateContext: { a, lang: 'en' } }))).toEqual([
      'callTemplate.systemPrompt',
    ]);
    const bomb = await agentOf({ timeExceededMessage: '{{a}}'.repeat(5000) });
    expect(issuePaths(await call(bomb, { templateContext: { a } }))).toEqual([
      'callTemplate.timeExceededMessage',
    ]);
  });

  it.each<[string, CallTemplate, string[]]>([
    ['sections', { systemPrompt: '{{#a}}x{{/a}}' }, ['systemPrompt']],
    ['partials', { timeExceededMessage: '{{> a}}' }, ['timeExceededMessage']],
    [
      'unclosed tags',
      { inactivityMessages: [{ duration: '1s', message: '{{' }] },
      ['inactivityMessages.0.message'],
    ],
    ['invalid language tags', { languageHint: 'klingon please' }, ['languageHint']],
    ['invalid schemas', { contextSchema: { type: 'text' } }, ['contextSchema']],
    ['remote schemas', { contextSchema: { $ref: 'https://example.com/a' } }, ['contextSchema']],
    [
      'unknown variables',
      { systemPrompt: '{{b}}', contextSchema: { properties: { a: {} } } },
      ['systemPrompt'],
    ],
    [
      'two voices',
      { voice: 'Alba', externalVoice: { generic: { url: 'https://a.test' } } },
      ['externalVoice'],
    ],
    ['overrides without a voice', { voiceOverrides: { provider1: { speed: 1 } } }, ['voiceOverrides']],
    ['durations out of range', { joinTimeout: '-1s', maxDuration: '90000s' }, ['joinTimeout', 'maxDuration']],
    ['unknown models', { model: 'gpt-9' }, ['model']],
    ['unknown voices', { voice: 'Unknown' }, ['voice']],
    ['unknown tools', { selectedTools: [{ toolName: 'nothing' }] }, ['selectedTools.0.toolName']],
    [
      'duplicate tool names',
      { selectedTools: [temporary('twice'), temporary('twice')] },
      ['selectedTools.1.temporaryTool.modelToolName'],
    ],
  ])('is rejected when it is saved: %s', async (_what, callTemplate, paths) => {
    const expected = paths.map((path) => `callTemplate.${path}`);
    expect(issuePaths(await save(callTemplate))).toEqual(expected);
    const agent = await agentOf({});
    const patched = await account.send('PATCH', `/api/agents/${agent.agentId}`, { callTemplate });
    expect(issuePaths(patched)).toEqual(expected);
    const found = await account.request<Agent>(`/api/agents/${agent.agentId}`);
    expect(found.body).toEqual(agent);
  });

  it('cannot request a feature that the account does not have', async () => {
    const response = await save({ admissionPreference: 'CALL_ADMISSION_PREFERENCE_LOWEST_COST' });
    expect(response).toMatchObject({ status: 403, body: { code: 'feature_not_enabled' } });
  });
});

describe('a call of an agent', () => {
  it('gives request fields precedence over template fields', async () => {
    const agent = await agentOf({
      systemPrompt: 'from the template',
      temperature: 0.5,
      joinTimeout: '20s',
      maxDuration: '100s',
      recordingEnabled: false,
      initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
      firstSpeakerSettings: { user: {} },
      voice: 'Alba',
      dataConnection: { websocketUrl: 'wss://template.test' },
      sharedSecrets: ['the secret of the template'],
      vadSettings: { turnEndpointDelay: '0.5s' },
    });
    const overrides = {
      joinTimeout: '40s',
      maxDuration: '200s',
      recordingEnabled: true,
      initialOutputMedium: 'MESSAGE_MEDIUM_VOICE',
      firstSpeakerSettings: { agent: { text: 'Hello' } },
      voice: 'Bruno',
      metadata: { room: '12' },
      medium: { serverWebSocket: { inputSampleRate: 8000 } },
      experimentalSettings: { x: 1 },
      callbacks: { ended: { url: 'https://example.com/ended' } },
    };
    const plain = await call(agent);
    expect(plain).toMatchObject({
      status: 201,
      body: {
        joinTimeout: '20s',
        maxDuration: '100s',
        voice: 'Alba',
        metadata: {},
        temperature: 0.5,
        medium,
      },
    });
    const response = await call(agent, {
      ...overrides,
      agentId: agent.agentId,
      retentionPolicy: 'CALL_RETENTION_POLICY_UNSPECIFIED',
      dataConnection: { websocketUrl: 'wss://request.test' },
      initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'Hi' }],
      sharedSecrets: ['the secret of the request'],
    });
    expect(response).toMatchObject({
      status: 201,
      body: {
        ...overrides,
        systemPrompt: 'from the template',
        temperature: 0.5,
        vadSettings: { turnEndpointDelay: '0.5s' },
        dataConnectionConfig: { websocketUrl: 'wss://request.test' },
        retentionPolicy: 'retain',
      },
    });
    expect(await settingsOf(response.body)).toMatchObject({ initialMessages: [{ text: 'Hi' }] });
    const unspecified = await call(agent, { initialOutputMedium: 'MESSAGE_MEDIUM_UNSPECIFIED' });
    expect(unspecified.body.initialOutputMedium).toBe('MESSAGE_MEDIUM_TEXT');
  });

  it('reports whether the template or the request is invalid', async () => {
    const agent = await agentOf({ voice: 'Alba' });
    expect(issuePaths(await call(agent, { voice: 'Unknown' }))).toEqual(['voice']);
    expect(issuePaths(await call(agent, { joinTimeout: '-1s', typo: 1 }))).toEqual(['joinTimeout', 'typo']);
    expect(issuePaths(await call(agent, { voiceOverrides: { provider1: { speed: 1 } } }))).toEqual([
      'voiceOverrides.provider1',
    ]);
    expect(issuePaths(await call(agent, { metadata: { 'svc.x': 'y' } }))).toEqual(['metadata.svc.x']);
    // The voice was deleted after the template was saved.
    await sql`update agent_revisions set template = template || '{"voice": "Gone"}'
      where revision_id = ${agent.publishedRevisionId}`.execute(harness.store.db);
    expect(issuePaths(await call(agent))).toEqual(['callTemplate.voice']);
    expect((await call(agent, { voice: 'Bruno' })).status).toBe(201);
  });

  it('cannot name another agent', async () => {
    const agent = await agentOf({});
    expect(issuePaths(await call(agent, { agentId: newId() }))).toEqual(['agentId']);
    expect((await call(agent, { agentId: agent.agentId.toUpperCase() })).status).toBe(201);
  });

  it('can add, remove and override tools of the template', async () => {
    const agent = await agentOf({
      selectedTools: [
        { toolName: 'hangUp' },
        temporary('look_up'),
        { ...temporary('x'), nameOverride: 'other' },
      ],
    });
    const namesAfter = async (toolOverrides: object): Promise<unknown> => {
      const response = await call(agent, { toolOverrides });
      expect(response.status).toBe(201);
      const { rows } = await sql<{ name: string }>`
        select name from call_tools where call_id = ${response.body.callId} order by tool_index
      `.execute(harness.store.db);
      return rows.map(({ name }) => name);
    };
    expect(await namesAfter({})).toEqual(['hangUp', 'look_up', 'other']);
    expect(await namesAfter({ remove: ['hangUp', 'other'] })).toEqual(['look_up']);
    expect(await namesAfter({ removeAll: true, remove: ['hangUp'], add: [temporary('new')] })).toEqual([
      'new',
    ]);
    expect(await namesAfter({ removeAll: true })).toEqual([]);
    expect(
      await namesAfter({ remove: ['look_up'], add: [temporary('look_up'), { toolName: 'coldTransfer' }] }),
    ).toEqual(['hangUp', 'other', 'look_up', 'coldTransfer']);
    expect(issuePaths(await call(agent, { toolOverrides: { remove: ['x'] } }))).toEqual([
      'toolOverrides.remove.0',
    ]);
    expect(
      issuePaths(await call(agent, { toolOverrides: { add: [temporary('a'), temporary('other')] } })),
    ).toEqual(['toolOverrides.add.1.temporaryTool.modelToolName']);
    expect(
      issuePaths(
        await call(agent, { toolOverrides: { remove: ['hangUp'], add: [{ toolName: 'nothing' }] } }),
      ),
    ).toEqual(['toolOverrides.add.0.toolName']);
  });

  it('renders template variables in its tools', async () => {
    const agent = await agentOf({
      selectedTools: [
        {
          ...temporary('look_up', {
            description: 'Looks up {{name}}',
            staticParameters: [{ name: 'who', value: { name: '{{name}}' } }],
            dynamicParameters: [{ name: 'size' }],
          }),
          parameterOverrides: { size: 'of {{name}}' },
        },
      ],
    });
    const response = await call(agent, { templateContext: { name: 'Bo' } });
    const { rows } = await sql<{ definition: unknown }>`
      select definition from call_tools where call_id = ${response.body.callId}`.execute(harness.store.db);
    expect(rows[0]!.definition).toMatchObject({ description: 'Looks up Bo' });
    expect(JSON.stringify(rows[0]!.definition)).toContain('{"name":"Bo"}');
    expect(JSON.stringify(rows[0]!.definition)).toContain('of Bo');
  });

  it('counts against a call throttle', async () => {
    const agent = await agentOf({});
    await account.post('/api/call_throttles', { name: 'one', rules: [{ maxCalls: 1, windowSeconds: 600 }] });
    expect((await call(agent, {}, '?throttle=one')).status).toBe(201);
    expect(await call(agent, {}, '?throttle=one')).toMatchObject({ status: 429, body: { code: 'throttle' } });
    expect(issuePaths(await call(agent, {}, '?throttle=none'))).toEqual(['throttle']);
  });

  it('is rejected, without changing the agent, when its medium is not available', async () => {
    const account = await harness.account('SCALE', null, ['sip']);
    const { body: agent } = await save({ medium: { sip: { incoming: {} } } }, account);
    expect(await account.post(`/api/agents/${agent.agentId}/calls`, {})).toMatchObject({
      status: 422,
      body: { code: 'medium_not_available' },
    });
  });

  it('carries the secrets of the template encrypted', async () => {
    const agent = await agentOf({ sharedSecrets: ['a secret of the template'] });
    const { body } = await call(agent);
    const settings = await settingsOf(body);
    expect(settings['sharedSecrets']).toEqual([expect.stringMatching(/^sealed:/u)]);
    expect(JSON.stringify(body)).not.toContain('a secret of the template');
  });

  it('is limited to the remaining free time and is rejected when none remains', async () => {
    const free = await harness.account('FREE');
    const { body: agent } = await save({ medium, maxDuration: '7200s' }, free);
    const path = `/api/agents/${agent.agentId}/calls`;
    expect(await free.post<Call>(path, { maxDuration: '1500s' })).toMatchObject({
      status: 201,
      body: { maxDuration: '1500s' },
    });
    expect(await free.post<Call>(path, {})).toMatchObject({ status: 201, body: { maxDuration: '300s' } });
    expect((await free.post(path, { maxDuration: '7200s' })).status).toBe(402);
  });
});

describe('tools over a data connection', () => {
  const tool = { temporaryTool: { modelToolName: 'look', dataConnection: {} } };
  const dataConnection = { websocketUrl: 'ws://127.0.0.1:9/data' };

  it('require a data connection in the call but not in the template', async () => {
    const plain = (body: object) =>
      account.post<Call & ApiError>('/api/calls', {
        medium,
        selectedTools: [{ toolName: 'hangUp' }, tool],
        ...body,
      });
    expect(issuePaths(await plain({}))).toEqual(['selectedTools.1']);
    expect((await plain({ dataConnection })).status).toBe(201);
    const agent = await agentOf({ selectedTools: [tool] });
    expect(issuePaths(await call(agent))).toEqual(['callTemplate.selectedTools.0']);
    const added = { toolOverrides: { removeAll: true, add: [tool] } };
    expect(issuePaths(await call(agent, added))).toEqual(['toolOverrides.add.0']);
    expect((await call(agent, { dataConnection })).status).toBe(201);
    const whole = await agentOf({ selectedTools: [tool], dataConnection });
    expect((await call(whole)).status).toBe(201);
  });
});
