import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { AgentRevision } from '@calls/api-contract/rest/agent-revision';
import type { TestResult, TestRun, TestRunSummary } from '@calls/api-contract/rest/test-run';
import { endTestRun, claimTestRun } from '@calls/store/tables/test-runs';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const PATH = '/api/test_runs';
const SCENARIO = { name: 'greets', caller: { script: [{ say: 'Hello.' }] } };

async function agentOf(of: TestAccount, callTemplate: object | null): Promise<Agent> {
  return (await of.post<Agent>('/api/agents', { name: 'Ada', callTemplate })).body;
}

describe('test runs', () => {
  it('are created for the published revision of the agent, read and listed by agent', async () => {
    const agent = await agentOf(account, { systemPrompt: 'Be brief.' });
    const other = await agentOf(account, { systemPrompt: 'Be kind.' });
    const created = await account.post<TestRun>(PATH, { agentId: agent.agentId, scenarios: [SCENARIO] });
    expect(created).toMatchObject({
      status: 201,
      body: {
        agentId: agent.agentId,
        revisionId: agent.publishedRevisionId,
        ended: null,
        scenarioCount: 1,
        passed: 0,
        scenarios: [SCENARIO],
        results: [],
        previousRunId: null,
        changes: [],
      },
    });
    await account.post(PATH, { agentId: other.agentId, scenarios: [SCENARIO] });
    expect((await account.request<TestRun>(`${PATH}/${created.body.testRunId}`)).body).toEqual(created.body);
    const { results } = await account.list<TestRunSummary>(`${PATH}?agentId=${agent.agentId}`);
    expect(results.map(({ testRunId }) => testRunId)).toEqual([created.body.testRunId]);
    expect((await account.list(PATH)).results).toHaveLength(2);
  });

  it('require an agent of the account with a template, and valid scenarios', async () => {
    const stranger = await harness.account();
    const foreign = await agentOf(stranger, { systemPrompt: 'Be brief.' });
    const empty = await agentOf(account, null);
    for (const { agentId } of [foreign, empty])
      expect(await account.post(PATH, { agentId, scenarios: [SCENARIO] })).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'agentId', message: 'must be the id of an agent with a call template' }] },
      });
    const { agentId } = await agentOf(account, { systemPrompt: 'Be brief.' });
    const never = { neverSays: ['/price(?= list)/'] };
    const scenarios = [SCENARIO, { name: 'greets', caller: {}, expect: never }];
    expect(await account.post(PATH, { agentId, scenarios })).toMatchObject({
      status: 400,
      body: {
        errors: [
          { path: 'scenarios.1.caller', message: 'must have exactly one of script and goal' },
          { path: 'scenarios.1.expect.neverSays.0', message: expect.stringContaining('regular expression') },
          { path: 'scenarios.1.name', message: 'must be unique' },
        ],
      },
    });
    const run = await account.post<TestRun>(PATH, { agentId, scenarios: [SCENARIO] });
    expect((await stranger.request(`${PATH}/${run.body.testRunId}`)).status).toBe(404);
  });

  it('run the scenarios that are stored with the agent', async () => {
    const { agentId } = await agentOf(account, { systemPrompt: 'Be brief.' });
    const path = `/api/agents/${agentId}/test_suite`;
    expect(await account.request(path)).toMatchObject({ status: 200, body: { scenarios: [] } });
    expect(await account.post(PATH, { agentId })).toMatchObject({
      status: 400,
      body: {
        errors: [{ path: 'scenarios', message: 'is required because none are stored with the agent' }],
      },
    });
    expect(await account.send('PUT', path, { scenarios: [SCENARIO, SCENARIO] })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'scenarios.1.name', message: 'must be unique' }] },
    });
    const suite = { scenarios: [SCENARIO, { ...SCENARIO, name: 'greets again' }] };
    expect(await account.send('PUT', path, suite)).toMatchObject({ status: 200, body: suite });
    expect(await account.request(path)).toMatchObject({ body: suite });
    expect(await account.post(PATH, { agentId })).toMatchObject({ status: 201, body: suite });
    const stranger = await harness.account();
    expect((await stranger.request(path)).status).toBe(404);
    expect((await stranger.send('PUT', path, { scenarios: [] })).status).toBe(404);
  });

  it('are deleted', async () => {
    const { agentId } = await agentOf(account, { systemPrompt: 'Be brief.' });
    const { body: run } = await account.post<TestRun>(PATH, { agentId, scenarios: [SCENARIO] });
    const path = `${PATH}/${run.testRunId}`;
    const stranger = await harness.account();
    expect((await stranger.send('DELETE', path)).status).toBe(404);
    expect((await account.send('DELETE', path)).status).toBe(204);
    expect((await account.request(path)).status).toBe(404);
    expect((await account.send('DELETE', path)).status).toBe(404);
  });

  it('of accounts are played in turns', async () => {
    const hold = async (): Promise<string | undefined> =>
      (await claimTestRun(harness.store.db, 60_000))?.test_run_id;
    while ((await hold()) !== undefined);
    const [busy, other] = [await harness.account(), await harness.account()];
    const created: string[] = [];
    for (const owner of [busy, busy, busy, other, other]) {
      const { agentId } = await agentOf(owner, { systemPrompt: 'Be brief.' });
      const run = await owner.post<TestRun>(PATH, { agentId, scenarios: [SCENARIO] });
      created.push(run.body.testRunId);
    }
    const [first, second, third, ofOther, lastOfOther] = created;
    const played = [await hold(), await hold(), await hold(), await hold(), await hold()];
    expect(played).toEqual([first, ofOther, second, lastOfOther, third]);
  });

  it('can test a revision before it is published', async () => {
    const agent = await agentOf(account, { systemPrompt: 'Be brief.' });
    const draft = await revisionOf(agent, { systemPrompt: 'Be kind.' });
    expect(draft).toMatchObject({ published: false, callTemplate: { systemPrompt: 'Be kind.' } });
    const body = { agentId: agent.agentId, revisionId: draft.revisionId, scenarios: [SCENARIO] };
    expect(await account.post(PATH, body)).toMatchObject({
      status: 201,
      body: { revisionId: draft.revisionId },
    });
    expect(await account.request(`/api/agents/${agent.agentId}`)).toMatchObject({ body: agent });
    const other = await agentOf(account, { systemPrompt: 'Be brief.' });
    expect(await account.post(PATH, { ...body, agentId: other.agentId })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'revisionId', message: 'must be the id of a revision of the agent' }] },
    });
  });

  it('must pass before a revision of an agent that requires tests is published', async () => {
    const agent = await agentOf(account, { systemPrompt: 'Be brief.' });
    const path = `/api/agents/${agent.agentId}`;
    const change = { callTemplate: { systemPrompt: 'Be kind.' } };
    expect(await account.send('PATCH', path, { testsRequired: true })).toMatchObject({
      body: { testsRequired: true },
    });
    expect(await account.send('PATCH', path, change)).toMatchObject(required(/Create a revision/u));
    const draft = await revisionOf(agent, change.callTemplate);
    const publish = () => account.send<Agent>('POST', `${path}/revisions/${draft.revisionId}/publish`);
    expect(await publish()).toMatchObject(required(/No test run/u));
    expect(await account.send('POST', `${path}/revisions/${draft.revisionId}/restore`)).toMatchObject(
      required(/Create a revision/u),
    );

    const test = async (...statuses: TestResult['status'][]): Promise<void> => {
      const scenarios = statuses.map((status, i) => ({ ...SCENARIO, name: `${i} ${status}` }));
      const body = { agentId: agent.agentId, revisionId: draft.revisionId, scenarios };
      const { testRunId } = (await account.post<TestRun>(PATH, body)).body;
      expect(await publish()).toMatchObject(required(/has not ended/u));
      const results = scenarios.map(({ name }, i) => ({ ...EMPTY, name, status: statuses[i] ?? 'error' }));
      const end = { endedAt: new Date(), results, previousRunId: null, changes: [] };
      await endTestRun(harness.store.db, testRunId, end);
    };
    for (const status of ['failed', 'skipped', 'error'] as const) {
      await test('passed', status);
      expect(await publish()).toMatchObject(required(/1 of 2 scenarios passed/u));
    }
    await test('passed', 'passed');
    await account.send('PUT', `${path}/test_suite`, { scenarios: [SCENARIO] });
    expect(await publish()).toMatchObject(required(/does not have the scenario "greets"/u));
    await account.send('PUT', `${path}/test_suite`, { scenarios: [] });
    expect(await publish()).toMatchObject({
      status: 200,
      body: { publishedRevisionId: draft.revisionId, callTemplate: { systemPrompt: 'Be kind.' } },
    });
    expect(await account.send('PATCH', path, { testsRequired: false, callTemplate: {} })).toMatchObject({
      status: 200,
    });
  });
});

const EMPTY = { findings: [], endReason: null, duration: null, lines: [] };

const required = (detail: RegExp) => ({
  status: 409,
  body: { code: 'tests_required', detail: expect.stringMatching(detail) },
});

async function revisionOf(agent: Agent, callTemplate: object): Promise<AgentRevision> {
  const path = `/api/agents/${agent.agentId}/revisions`;
  const { status, body } = await account.post<AgentRevision>(path, { callTemplate });
  expect(status).toBe(201);
  return body;
}
