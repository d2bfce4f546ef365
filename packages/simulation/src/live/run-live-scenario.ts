import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import { playAndCheck, type ScenarioDeps, type ScenarioResult } from '../run-scenario.ts';
import { callRunningService, notLive, type LiveDeps } from './live-call.ts';

/** Calls an agent of a running service as the scenario says, and checks the conversation. Never rejects. */
export async function runLiveScenario(
  agentId: string,
  scenario: TestScenario,
  deps: LiveDeps & Pick<ScenarioDeps, 'accountId' | 'callerModel'>,
): Promise<ScenarioResult> {
  const { name } = scenario;
  const obstacle = notLive(scenario);
  if (obstacle !== null) {
    const findings = [{ path: 'call', message: obstacle }];
    return { name, status: 'skipped', findings, record: null, recording: null };
  }
  const { accountId, callerModel } = deps;
  return playAndCheck(scenario, { checks: deps.checksOf(accountId), callerModel }, (play) =>
    callRunningService(agentId, scenario, play, deps),
  );
}
