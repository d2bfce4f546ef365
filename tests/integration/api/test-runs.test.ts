import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { TestRun, TestRunSummary } from '@calls/api-contract/rest/test-run';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

let harness: ControlPlaneHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await ControlPlaneHarness.start();
  account = await harness.account();
});
afterAll(() => harness.stop());

const PATH = '/api/test_runs';
const SCENARIO = { name: 'greets', caller: { script: [{ say: 'Hello.' }] } };

async function agentOf(of: TestAccount, callTemplate: object | null): Promise<Agent> {
  return (await of.post<Agent>('/api/agents', { name: 'Ada', callTemplate })).body;
}

describe('test runs', () => {
  it('are created for the version of the agent, read and listed by agent', async () => {
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

  it('need an agent of the account with a template, and valid scenarios', async () => {
    const stranger = await harness.account();
    const foreign = await agentOf(stranger, { systemPrompt: 'Be brief.' });
    const empty = await agentOf(account, null);
    for (const { agentId } of [foreign, empty])
      expect(await account.post(PATH, { agentId, scenarios: [SCENARIO] })).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'agentId', message: 'must be the id of an agent with a call template' }] },
      });
    const { agentId } = await agentOf(account, { systemPrompt: 'Be brief.' });
    const scenarios = [SCENARIO, { name: 'greets', caller: {} }];
    expect(await account.post(PATH, { agentId, scenarios })).toMatchObject({
      status: 400,
      body: {
        errors: [
          { path: 'scenarios.1.caller', message: 'must have exactly one of script and goal' },
          { path: 'scenarios.1.name', message: 'must be unique in the run' },
        ],
      },
    });
    const run = await account.post<TestRun>(PATH, { agentId, scenarios: [SCENARIO] });
    expect((await stranger.request(`${PATH}/${run.body.testRunId}`)).status).toBe(404);
  });
});
