import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAgent } from '@calls/simulation/agent/read-agent';
import { findScenarios } from '@calls/simulation/cli/find-scenarios';
import { runScenario, type ScenarioResult } from '@calls/simulation/run-scenario';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import { scenarioDeps } from '../support/scenario-deps.ts';

const SCENARIOS = join(import.meta.dirname, '../../scenarios');
const DEPS = scenarioDeps();

const agentIn = (folder: string) =>
  readAgent(join(SCENARIOS, folder, 'agent.yaml'), inProcessChecksOf('test'));

describe.each(['restaurant', 'office', 'gasthaus'])('the example agent %s', (folder) => {
  it('passes its scenarios with the embedded model', async () => {
    const { scenarios, issues } = await findScenarios([join(SCENARIOS, folder)]);
    expect(issues).toEqual([]);
    expect(scenarios.length).toBeGreaterThan(4);
    const agent = await agentIn(folder);
    const results: ScenarioResult[] = [];
    for (const { scenario } of scenarios) results.push(await runScenario(agent, scenario, DEPS));
    expect(results.map(({ name, status, findings }) => ({ name, status, findings }))).toEqual(
      scenarios.map(({ scenario: { name } }) => ({ name, status: 'passed', findings: [] })),
    );
  });
});

(IS_LONG_FORM ? describe : describe.skip)('1,000 conversations of ten turns', () => {
  it('take at most 60 s of CPU time', async () => {
    const agent = await agentIn('restaurant');
    const question = { say: 'Do you have a table outside?' };
    const script = [
      ...Array.from({ length: 8 }, () => question),
      { say: 'Please book a table for 4 guests.' },
      { say: 'Thank you, goodbye.' },
    ];
    const scenario: TestScenario = {
      name: 'ten turns',
      caller: { script },
      tools: { bookTable: { result: 'booked' } },
      expect: { tools: [{ name: 'bookTable', arguments: { guests: 4 } }], endReason: 'agent_hangup' },
    };
    const before = process.cpuUsage();
    for (let i = 0; i < 1000; i += 1)
      expect((await runScenario(agent, scenario, DEPS)).status).toBe('passed');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000_000).toBeLessThan(60);
  });
});
