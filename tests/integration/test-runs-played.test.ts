import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { TestRun } from '@calls/api-contract/rest/test-run';
import { createDispatcher, type Dispatcher } from '@calls/dispatcher/dispatcher';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import { changeAccount } from '@calls/store/tables/accounts';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { dispatcherConfig } from '../support/dispatcher-config.ts';
import { eventually } from '../support/eventually.ts';
import { LONG_ENGINE_LIMITS_ENV } from '../support/lifted-limits.ts';

let harness: ControlPlaneHarness;
let model: AiStandIn;

beforeEach(async () => {
  harness = await ControlPlaneHarness.start();
  model = await startAiStandIn();
});
afterEach(async () => {
  await model[Symbol.asyncDispose]();
  await harness.stop();
});

function startDispatcher(): Promise<Dispatcher> {
  const env = { ...LONG_ENGINE_LIMITS_ENV, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'test' };
  const providers = readProviderConfig(new EnvReader(env));
  return createDispatcher(dispatcherConfig(harness, { providers }), silentLogger);
}

it('a test run that waits while its account is suspended ends with errors', async () => {
  const account = await harness.account();
  const template = { name: 'Ada', callTemplate: { systemPrompt: 'Be brief.' } };
  const { agentId } = (await account.post<Agent>('/api/agents', template)).body;
  const scenarios = [{ name: 'greets', caller: { script: [{ say: 'Hello.' }] } }];
  const { testRunId } = (await account.post<TestRun>('/api/test_runs', { agentId, scenarios })).body;
  const suspension = { at: new Date(), reason: 'unpaid' };
  await changeAccount(harness.store.db, account.accountId, { suspension });

  await using _dispatcher = await startDispatcher();
  await eventually(async () => {
    const run = await account.request<TestRun>(`/api/test_runs/${testRunId}`);
    expect(run.body).toMatchObject({
      ended: expect.any(String),
      failed: 1,
      results: [{ status: 'error', findings: [{ message: 'the account is suspended' }] }],
    });
  });
  expect((await model.requests()).counts.llm).toBe(0);
});

it('test runs are played by the next dispatcher if the first one leaves, and stop when they are deleted', async () => {
  const account = await harness.account();
  const template = { name: 'Ada', callTemplate: { systemPrompt: 'Be brief.' } };
  const { agentId } = (await account.post<Agent>('/api/agents', template)).body;
  const scenarios = [{ name: 'greets', caller: { script: [{ say: 'Hello.' }] } }];
  const path = '/api/test_runs';
  const { testRunId } = (await account.post<TestRun>(path, { agentId, scenarios })).body;
  const run = async (): Promise<TestRun> => (await account.request<TestRun>(`${path}/${testRunId}`)).body;

  await model.control({ llm: { behaviour: 'never' } });
  const first = await startDispatcher();
  await eventually(async () => expect((await model.requests()).counts.llm).toBe(1));
  await first[Symbol.asyncDispose]();
  expect(await run()).toMatchObject({ ended: null, results: [] });
  expect((await model.requests()).aborted.llm).toBe(1);

  await model.control({ llm: { behaviour: 'ok' } });
  await using _second = await startDispatcher();
  await eventually(async () => expect(await run()).toMatchObject({ ended: expect.any(String), passed: 1 }));

  // Deleting a run stops its requests to the model.
  const before = (await model.requests()).counts.llm;
  await model.control({ llm: { behaviour: 'never' } });
  const deleted = (await account.post<TestRun>(path, { agentId, scenarios })).body;
  await eventually(async () => expect((await model.requests()).counts.llm).toBe(before + 1));
  expect(await account.send('DELETE', `${path}/${deleted.testRunId}`)).toMatchObject({ status: 204 });
  await eventually(async () => expect((await model.requests()).aborted.llm).toBe(2));
  expect(await account.list(path)).toMatchObject({ results: [{ testRunId }] });
});
