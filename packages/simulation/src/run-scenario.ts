import { scenarioPatternIssues, type TestScenario } from '@calls/api-contract/rest/test-scenario';
import type { LanguageModel } from '@calls/engine-ports/language-model';
import { toError } from '@calls/foundation/errors';
import { ValidationError } from '@calls/foundation/schema/validator';
import type { VirtualClock } from '@calls/foundation/virtual-clock';
import { agentCall, type AgentCallDeps, type TestedAgent } from './agent/agent-call.ts';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import type { CallRecord } from './call/call-record.ts';
import type { Caller, CallerCall } from './call/caller.ts';
import { playPersona, type CallerModel } from './call/persona.ts';
import type { RealTimeWork } from './call/real-time-work.ts';
import { simulateCall, type SimulatedCall, type SimulationServices } from './call/simulated-call.ts';
import { checkRecord, type Finding } from './check/checks.ts';
import { judge } from './check/judge.ts';

export interface ScenarioDeps extends SimulationServices, Omit<AgentCallDeps, 'checks'> {
  accountId: string;
  /** Plays callers with a goal and judges conversations; null if no language model is configured. */
  callerModel: CallerModel | null;
  /** Ends the scenario; its reason is then the finding. Default: never. */
  signal?: AbortSignal;
}

export interface ScenarioResult {
  name: string;
  /** `error`: the scenario could not be played. `skipped`: it needs a language model, and there is none. */
  status: 'passed' | 'failed' | 'skipped' | 'error';
  findings: readonly Finding[];
  /** Null if there was no call. */
  record: CallRecord | null;
  /** See SimulatedCall. */
  recording: Int16Array | null;
}

const NEEDS_MODEL = 'needs a language model; set LLM_BASE_URL';

/** Calls the agent as the scenario says, and checks the conversation. Never rejects. */
export function runScenario(
  agent: TestedAgent,
  scenario: TestScenario,
  deps: ScenarioDeps,
): Promise<ScenarioResult> {
  const { accountId, callerModel, signal = new AbortController().signal } = deps;
  const checks = deps.checksOf(accountId);
  const until = (model: LanguageModel): LanguageModel => ({
    acceptsAudio: (name) => model.acceptsAudio(name),
    respond: (request, own) => model.respond(request, AbortSignal.any([own, signal])),
  });
  const models = {
    languageModel: (clock: VirtualClock, work: RealTimeWork) => until(deps.languageModel(clock, work)),
    callerModel: callerModel && { ...callerModel, languageModel: until(callerModel.languageModel) },
  };
  return playAndCheck(scenario, { checks, callerModel: models.callerModel }, async (play) => {
    const called = await agentCall(agent, scenario.call ?? {}, { ...deps, checks });
    return simulateCall(called, scenario, play, { ...deps, ...models, signal });
  });
}

type Play = (caller: Caller, call: CallerCall) => Promise<string | null>;

/** Makes the call of a scenario, with what its caller does, and checks the conversation. Never rejects. */
export async function playAndCheck(
  scenario: TestScenario,
  { checks, callerModel }: { checks: UntrustedChecks; callerModel: CallerModel | null },
  makeCall: (play: Play) => Promise<SimulatedCall>,
): Promise<ScenarioResult> {
  const { name, caller, expect = {} } = scenario;
  const needing = caller.goal === undefined ? (expect.judge ? 'expect.judge' : null) : 'caller.goal';
  const none = { name, record: null, recording: null };
  if (needing !== null && !callerModel)
    return { ...none, status: 'skipped', findings: [{ path: needing, message: NEEDS_MODEL }] };
  try {
    const unusable = await scenarioPatternIssues(scenario, (patterns) => checks.patternIssues(patterns));
    if (unusable.length > 0) return { ...none, status: 'error', findings: unusable };
    const { script } = caller;
    const { record, problem, recording } = await makeCall((player, call) =>
      script || !callerModel ? player.run(script ?? []) : playPersona(caller, player, call, callerModel),
    );
    const findings = await checkRecord(record, expect, checks);
    for (const message of record.errors) findings.unshift({ path: 'call', message });
    if (problem !== null) findings.unshift({ path: 'caller', message: problem });
    if (findings.length === 0 && expect.judge && callerModel)
      findings.push(...(await judge(expect.judge, record, callerModel)));
    // Errors of engines explain a failure, but are not failures: the agent may have recovered.
    if (findings.length > 0)
      findings.unshift(...record.engineErrors.map((message) => ({ path: 'call', message })));
    return { name, status: findings.length === 0 ? 'passed' : 'failed', findings, record, recording };
  } catch (thrown) {
    return { ...none, status: 'error', findings: errorFindings(thrown) };
  }
}

function errorFindings(thrown: unknown): Finding[] {
  if (thrown instanceof ValidationError && thrown.issues.length > 0) return [...thrown.issues];
  return [{ path: '', message: toError(thrown).message }];
}
