import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createUnstoredMcpToolLists } from '@calls/call-lifecycle/creation/tools/mcp-tool-lists';
import { systemClock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import { silentLogger } from '@calls/foundation/logger';
import { isUuid } from '@calls/foundation/schema/objects';
import { VIRTUAL_EPOCH_MS } from '@calls/foundation/virtual-clock';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { describeProviders } from '@calls/providers/config/describe-providers';
import type { ProviderConfig } from '@calls/providers/config/provider-config';
import { schemaJobs } from '@calls/untrusted-work/jobs/schema-jobs';
import { createChecksOf, type ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import type { TestedAgent } from '../agent/agent-call.ts';
import { readAgent } from '../agent/read-agent.ts';
import { textMode, type SimulatedMode } from '../call/modes.ts';
import { openEngines } from '../engines.ts';
import { junitReport } from '../report/junit.ts';
import { writeReport } from '../report/write-report.ts';
import { resultLines, seconds, summaryLine } from '../report/table.ts';
import { runLiveScenario } from '../live/run-live-scenario.ts';
import { runScenario, type ScenarioDeps } from '../run-scenario.ts';
import { fileIssueText } from '../scenario/read-scenarios.ts';
import { scenarioTextOf } from '../scenario/scenario-text.ts';
import { fetchAgent } from './fetch-agent.ts';
import { fetchCall } from './fetch-call.ts';
import { AGENT_FILE, findScenarios } from './find-scenarios.ts';
import type { CliOptions } from './options.ts';
import { runAll } from './run-all.ts';
import type { ServiceAddress } from './service.ts';

/** The user's own schemas and patterns: they are evaluated in this process. */
const checksOf: ChecksOf = createChecksOf({
  run: (kind, input) => Promise.resolve(schemaJobs[kind](input as never)) as Promise<never>,
});

/** Prints a scenario that repeats a call of the service. */
export async function printScenarioOf(callId: string, service: ServiceAddress): Promise<void> {
  print(scenarioTextOf(await fetchCall(callId, service)));
}

/**
 * Plays the scenarios of the options and prints the results. Resolves to the exit code. `voiceMode` opens in the
 * meantime; null without voice mode.
 */
export async function simulate(
  options: CliOptions,
  config: ProviderConfig,
  voiceMode: Promise<SimulatedMode> | null,
): Promise<number> {
  const { scenarios, issues } = await findScenarios(options.paths);
  if (issues.length > 0) throw new AppError('usage', issues.map(fileIssueText).join('\n'));
  const chosen = scenarios.filter(
    ({ scenario }) => options.only === null || scenario.name.includes(options.only),
  );
  if (chosen.length === 0)
    throw new AppError('usage', `No scenario has a name that contains "${options.only ?? ''}".`);
  const agents = new Map<string, TestedAgent>();
  for (const { file } of chosen) {
    const named = agentOf(file, options);
    if (!agents.has(named)) agents.set(named, await findAgent(named, options));
  }
  const names = [...agents.values()].map(({ name }) => name).join(', ');
  const { languageModel, speechToText, textToSpeech } = describeProviders(config);
  const speech = options.isLive
    ? `live, over a WebSocket of ${options.url}`
    : options.mode === 'text'
      ? 'exact words, no audio'
      : `${speechToText}; the agent speaks by ${textToSpeech}`;
  const model = options.isLive ? 'that of the service' : languageModel;
  print(`agents: ${names}\nmodel: ${model}\nspeech: ${speech}\n`);
  const parts = { clock: systemClock, log: silentLogger };
  // Private networks are allowed, because the user's own agents may use services on this machine.
  await using outbound = createOutboundHttp({ allowPrivateNetworks: true });
  await using engines = openEngines(config, parts);
  const deps: ScenarioDeps = {
    accountId: 'local',
    mode: (await voiceMode) ?? textMode,
    languageModel: (clock, work) => engines.languageModel(clock, work),
    callerModel: engines.callerModel,
    urls: { assertAllowedUrl: (url) => new URL(url) },
    mcpTools: createUnstoredMcpToolLists({ outbound, checksOf, clock: systemClock }),
    checksOf,
    wallMs: VIRTUAL_EPOCH_MS,
    log: silentLogger,
  };
  const repeated = chosen.flatMap((each) => new Array<typeof each>(options.repeat).fill(each));
  const beganMs = systemClock.nowMs();
  const results = await runAll(
    repeated,
    options.parallel,
    ({ file, scenario }) => {
      const agent = agents.get(agentOf(file, options));
      if (!agent) throw new Error(`no agent for ${file}`);
      if (!options.isLive) return runScenario(agent, scenario, deps);
      const live = { service: options, clock: systemClock };
      return runLiveScenario(agentOf(file, options), scenario, { ...deps, ...live });
    },
    (result) => {
      if (options.repeat === 1 || result.status !== 'passed')
        print(resultLines(result, options.transcripts).join('\n'));
    },
  );
  const simulatedMs = results.reduce((sum, { record }) => sum + (record?.durationMs ?? 0), 0);
  print(`\n${summaryLine(results)}; ${speedText(simulatedMs, systemClock.nowMs() - beganMs)}`);
  if (options.junit !== null) {
    await mkdir(dirname(options.junit), { recursive: true });
    await writeFile(options.junit, junitReport(names, results));
  }
  if (options.report !== null) await writeReport(options.report, { agents: names, model, speech }, results);
  return results.some(({ status }) => status === 'failed' || status === 'error') ? 1 : 0;
}

/** `93.0 s of conversation in 2.1 s (44 times real time)` */
function speedText(simulatedMs: number, tookMs: number): string {
  const factor = (simulatedMs / tookMs).toFixed(0);
  return `${seconds(simulatedMs)} of conversation in ${seconds(tookMs)} (${factor} times real time)`;
}

function agentOf(file: string, { agent }: CliOptions): string {
  return agent ?? join(dirname(file), AGENT_FILE);
}

async function findAgent(agent: string, options: CliOptions): Promise<TestedAgent> {
  const checks = checksOf('local');
  if (options.agent === null && !existsSync(agent))
    throw new AppError(
      'usage',
      `${dirname(agent)} has scenarios but no ${AGENT_FILE}. Name the agent with --agent.`,
    );
  return isUuid(agent) ? fetchAgent(agent, options, checks) : readAgent(agent, checks);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
