import type { ExpectedToolCall, Expectations } from '@calls/api-contract/rest/test-scenario';
import { durationToMs } from '@calls/api-contract/duration';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import type { CallRecord, RecordedToolCall } from '../call/call-record.ts';
import { jsonMatches } from './json-match.ts';
import { textMatches } from './text-match.ts';

/** Why a conversation is not as expected. */
export interface Finding {
  /** Path of the expectation: `expect.tools.0`. */
  path: string;
  message: string;
}

/** The findings of all expectations but those of a judge: tools and state first, then what was said, then times. */
export async function checkRecord(
  record: CallRecord,
  expected: Expectations,
  checks: UntrustedChecks,
): Promise<Finding[]> {
  return [
    ...(await toolFindings(record, expected, checks)),
    ...(await stateFindings(record, expected, checks)),
    ...(await stageFindings(record, expected, checks)),
    ...endFindings(record, expected),
    ...(await textFindings(record, expected, checks)),
    ...countFindings(record, expected),
    ...latencyFindings(record, expected),
  ];
}

async function toolFindings(
  { toolCalls }: CallRecord,
  { tools = [], toolOrder = 'any' }: Expectations,
  checks: UntrustedChecks,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let earliest = 0;
  for (const [index, expected] of tools.entries()) {
    const path = `expect.tools.${index}`;
    const matching = await matchingCalls(toolCalls, expected, checks);
    const { times } = expected;
    const isRight = times === undefined ? matching.length > 0 : matching.length === times;
    if (!isRight) {
      const wanted = times === undefined ? 'must be called' : `must be called ${times} times`;
      const actual = toolCalls.filter(({ name }) => name === expected.name).map(callText);
      const shown = actual.length === 0 ? 'it was not called' : `calls: ${actual.join(', ')}`;
      findings.push({
        path,
        message: `${expectedText(expected)} ${wanted}, ${matching.length} match; ${shown}`,
      });
      continue;
    }
    if (toolOrder !== 'listed' || times === 0) continue;
    const next = matching.find((at) => at >= earliest);
    if (next === undefined) {
      const order = toolCalls.map(({ name }) => name).join(', ');
      findings.push({ path, message: `${expected.name} must be called later; order of calls: ${order}` });
    } else earliest = next + 1;
  }
  return findings;
}

/** Indexes of the calls that match. */
async function matchingCalls(
  calls: readonly RecordedToolCall[],
  { name, arguments: wanted = {} }: ExpectedToolCall,
  checks: UntrustedChecks,
): Promise<number[]> {
  const matching: number[] = [];
  for (const [index, call] of calls.entries())
    if (call.name === name && (await jsonMatches(call.arguments, wanted, checks))) matching.push(index);
  return matching;
}

async function stateFindings(
  record: CallRecord,
  { state }: Expectations,
  checks: UntrustedChecks,
): Promise<Finding[]> {
  if (!state || (await jsonMatches(record.state, state, checks))) return [];
  const message = `the state of the call must contain ${JSON.stringify(state)}, it is ${JSON.stringify(record.state)}`;
  return [{ path: 'expect.state', message }];
}

async function stageFindings(
  { stagePrompts }: CallRecord,
  { stages }: Expectations,
  checks: UntrustedChecks,
): Promise<Finding[]> {
  if (!stages) return [];
  if (stages.length !== stagePrompts.length) {
    const message = `${stages.length} new stages must begin, ${stagePrompts.length} did`;
    return [{ path: 'expect.stages', message }];
  }
  const findings: Finding[] = [];
  for (const [index, match] of stages.entries())
    if (!(await textMatches(stagePrompts[index] ?? '', match, checks)))
      findings.push({
        path: `expect.stages.${index}`,
        message: `the prompt of the stage does not contain "${match}"`,
      });
  return findings;
}

function endFindings(record: CallRecord, { endReason, transferTo }: Expectations): Finding[] {
  const findings: Finding[] = [];
  if (endReason !== undefined && endReason !== record.endReason)
    findings.push({
      path: 'expect.endReason',
      message: `the call must end with ${endReason}, it ended with ${record.endReason ?? 'none'}`,
    });
  if (transferTo !== undefined && transferTo !== record.transferTo)
    findings.push({
      path: 'expect.transferTo',
      message: `the call must be transferred to ${transferTo}, it was ${record.transferTo === null ? 'not transferred' : `transferred to ${record.transferTo}`}`,
    });
  return findings;
}

async function textFindings(
  { lines }: CallRecord,
  { says = [], neverSays = [] }: Expectations,
  checks: UntrustedChecks,
): Promise<Finding[]> {
  const said = lines.flatMap(({ who, text }) => (who === 'agent' ? [text] : []));
  const first = async (match: string): Promise<string | undefined> => {
    for (const text of said) if (await textMatches(text, match, checks)) return text;
    return undefined;
  };
  const findings: Finding[] = [];
  for (const [index, match] of says.entries())
    if ((await first(match)) === undefined)
      findings.push({ path: `expect.says.${index}`, message: `the agent never said "${match}"` });
  for (const [index, match] of neverSays.entries()) {
    const found = await first(match);
    if (found !== undefined)
      findings.push({ path: `expect.neverSays.${index}`, message: `the agent said "${found}"` });
  }
  return findings;
}

function countFindings(record: CallRecord, { interruptions }: Expectations): Finding[] {
  if (interruptions === undefined || interruptions === record.interruptions) return [];
  const message = `the agent must be interrupted ${interruptions} times, it was ${record.interruptions} times`;
  return [{ path: 'expect.interruptions', message }];
}

function latencyFindings({ latenciesMs }: CallRecord, { latency = {} }: Expectations): Finding[] {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const figures = { p50: sorted[Math.ceil(sorted.length / 2) - 1], max: sorted.at(-1) };
  return (['p50', 'max'] as const).flatMap((name) => {
    const limit = latency[name];
    const actual = figures[name];
    if (limit === undefined || (actual !== undefined && actual <= durationToMs(limit))) return [];
    const measured = actual === undefined ? 'no turn was measured' : `it was ${actual} ms`;
    return [{ path: `expect.latency.${name}`, message: `must be at most ${limit}, ${measured}` }];
  });
}

function expectedText({ name, arguments: wanted }: ExpectedToolCall): string {
  return wanted === undefined ? name : `${name} with ${JSON.stringify(wanted)}`;
}

function callText(call: RecordedToolCall): string {
  return `${call.name}(${JSON.stringify(call.arguments)})`;
}
