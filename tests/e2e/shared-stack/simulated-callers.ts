import { beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { TestRun } from '@calls/api-contract/rest/test-run';
import { CallClient } from '@calls/examples/call-client';
import type { Stack } from '@calls/local-stack/stack';
import { systemClock } from '@calls/foundation/clock';
import { fetchAgent } from '@calls/simulation/cli/fetch-agent';
import { fetchCall } from '@calls/simulation/cli/fetch-call';
import { runLiveScenario } from '@calls/simulation/live/run-live-scenario';
import { runScenario } from '@calls/simulation/run-scenario';
import { readScenarios } from '@calls/simulation/scenario/read-scenarios';
import { scenarioTextOf } from '@calls/simulation/scenario/scenario-text';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { Api } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { scenarioDeps } from '../../support/scenario-deps.ts';

/** `open` returns the stack with the key of a new account. */
export function describeSimulatedCallers(open: () => Promise<Stack>): void {
  let stack: Stack;
  let api: Api;

  beforeAll(async () => {
    stack = await open();
    api = new Api(stack);
  });

  it('an agent passes a scenario generated from one of its calls', async () => {
    await api.request('POST', '/api/tools', {
      name: 'orderStatus',
      definition: {
        description: 'Looks up the status of an order.',
        dynamicParameters: [{ name: 'order', schema: { type: 'integer' }, required: true }],
        // Long enough for a busy machine.
        timeout: '20s',
        client: {},
      },
    });
    const { body: agent } = await api.request<Agent>('POST', '/api/agents', {
      name: 'Desk',
      callTemplate: {
        systemPrompt: 'Say "Hello from the desk."',
        medium: { serverWebSocket: { inputSampleRate: 16_000 } },
        selectedTools: [{ toolName: 'orderStatus' }, { toolName: 'hangUp' }],
      },
    });
    const { body: call } = await api.request<Call>('POST', `/api/agents/${agent.agentId}/calls`, {});
    const client: CallClient = await CallClient.connect({
      joinUrl: call.joinUrl ?? '',
      inputSampleRateHz: 16_000,
      outputSampleRateHz: 16_000,
      onMessage: (message) => {
        if (message.type !== 'client_tool_invocation') return;
        const { invocationId } = message;
        client.send({ type: 'client_tool_result', invocationId, result: 'It is on its way.' });
      },
    });
    await client.until('the greeting', () => client.isPlaying);
    client.send({ type: 'user_text_message', text: 'What is the order status of 17?', urgency: 'soon' });
    await client.until('the status', () =>
      client.transcript.some(({ text }) => text === 'It is on its way.'),
    );
    client.send({ type: 'user_text_message', text: 'Goodbye.', urgency: 'soon' });
    await api.endedCall(call.callId);

    const service = { url: stack.apiUrl, key: stack.developmentKey };
    const text = scenarioTextOf(await fetchCall(call.callId, service));
    const { scenarios, issues } = readScenarios('call.yaml', text);
    expect(issues).toEqual([]);
    const [made] = scenarios;
    expect(made?.scenario).toMatchObject({
      tools: { orderStatus: [{ result: 'It is on its way.' }] },
      expect: { tools: [{ name: 'orderStatus', arguments: { order: 17 } }, { name: 'hangUp' }] },
    });
    const tested = await fetchAgent(agent.agentId, service, inProcessChecksOf('test'));
    if (!made) return;
    const { status, findings } = await runScenario(tested, made.scenario, scenarioDeps());
    expect({ status, findings }).toEqual({ status: 'passed', findings: [] });
  });

  it('a live scenario calls an agent by voice and checks what the service stored', async () => {
    const { body: agent } = await api.request<Agent>('POST', '/api/agents', {
      name: 'Restaurant',
      callTemplate: {
        systemPrompt: 'Say "{{name}}, good evening."',
        contextSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        selectedTools: [
          {
            temporaryTool: {
              modelToolName: 'bookTable',
              description: 'Books a table for a number of guests.',
              dynamicParameters: [{ name: 'guests', schema: { type: 'integer' }, required: true }],
              timeout: '20s',
              client: {},
            },
          },
        ],
      },
    });
    const live = (script: object[], wanted: object): ReturnType<typeof runLiveScenario> =>
      runLiveScenario(
        agent.agentId,
        {
          name: 'books a table',
          call: { templateContext: { name: 'Il Ponte' } },
          caller: { script },
          tools: { bookTable: { result: 'Your table is booked.', updateCallState: { booked: true } } },
          expect: wanted,
        },
        {
          service: { url: stack.apiUrl, key: stack.developmentKey },
          ...{ accountId: 'test', callerModel: null, checksOf: inProcessChecksOf, clock: systemClock },
        },
      );
    const [voice, phone] = await Promise.all([
      live(
        [
          { agentSays: 'Il Ponte, good evening' },
          { say: 'Please book a table for 4 guests on Friday.' },
          { agentSays: 'booked' },
        ],
        {
          tools: [{ name: 'bookTable', arguments: { guests: 4 }, times: 1 }],
          state: { booked: true },
          endReason: 'hangup',
          interruptions: 0,
          latency: { max: '60s' },
        },
      ),
      live([{ press: '1' }], {}),
    ]);
    expect(phone.status).toBe('skipped');
    // On a busy machine, STT or the tool takes longer than 5 s, and the agent says a filler phrase.
    const isSlowStt = (message: string): boolean => message.startsWith('response_missing: Speech-to-text');
    expect(voice.findings.filter(({ message }) => !isSlowStt(message))).toEqual([]);
    const lines = voice.record?.lines.filter(({ text }) => text !== 'One moment, please.') ?? [];
    expect(lines.map(({ who }) => who)).toEqual(['agent', 'caller', 'tool call', 'tool result', 'agent']);
    expect(await live([{ agentSays: 'Good morning' }], {})).toMatchObject({
      status: 'failed',
      findings: [{ path: 'caller', message: expect.stringContaining('did not say "Good morning"') }],
    });
  });

  it('a test run plays scenarios in the background, and compares the results with those of the previous version', async () => {
    const template = (greeting: string) => ({
      systemPrompt: `Say "${greeting}"`,
      contextSchema: { type: 'object' },
    });
    const { body: agent } = await api.request<Agent>('POST', '/api/agents', {
      name: 'Greeter',
      callTemplate: template('Good morning.'),
    });
    const scenarios = [
      { name: 'greets', caller: { script: [{ agentSays: 'Good evening' }, { hangUp: true }] } },
      { name: 'ends', caller: { script: [{ say: 'Hello.' }] }, expect: { endReason: 'hangup' } },
      { name: 'is played', caller: { goal: 'Talk.' } },
    ];
    const run = async (): Promise<TestRun> => {
      const { body } = await api.request<TestRun>('POST', '/api/test_runs', {
        agentId: agent.agentId,
        scenarios,
      });
      return eventually(async () => {
        const { body: now } = await api.request<TestRun>('GET', `/api/test_runs/${body.testRunId}`);
        if (now.ended === null) throw new Error('the test run has not ended');
        return now;
      });
    };
    const first = await run();
    expect(first).toMatchObject({
      revisionId: agent.publishedRevisionId,
      ...{ scenarioCount: 3, passed: 1, failed: 1, skipped: 1 },
      ...{ previousRunId: null, changes: [] },
    });
    expect(first.results[0]).toMatchObject({
      ...{ name: 'greets', status: 'failed', endReason: 'hangup' },
      lines: [{ who: 'agent', text: 'Good morning.', toolName: null }],
    });
    await api.request('PATCH', `/api/agents/${agent.agentId}`, { callTemplate: template('Good evening.') });
    expect(await run()).toMatchObject({
      ...{ passed: 2, failed: 0, skipped: 1, previousRunId: first.testRunId },
      changes: [{ name: 'greets', before: 'failed', after: 'passed' }],
    });
  });
}
