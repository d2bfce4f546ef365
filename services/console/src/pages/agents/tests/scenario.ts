import type { Schemas } from '../../../api/client.ts';

export type Scenario = Schemas['TestScenario'];

/** The first scenario of an agent. */
export const FIRST_SCENARIO: Scenario = {
  name: 'greets the caller',
  caller: { script: [{ say: 'Hello.' }] },
};

/** Navigation state that opens the page of an agent with an additional scenario. */
export interface AgentPageState {
  readonly added: Scenario;
}

export function addedScenario(state: unknown): Scenario | null {
  return typeof state === 'object' && state !== null ? (state as AgentPageState).added : null;
}

/** Adds a scenario, unless another one has its name. The result is never empty. */
export function withAdded(scenarios: readonly Scenario[], added: Scenario | null): readonly Scenario[] {
  const isNew = added !== null && !scenarios.some(({ name }) => name === added.name);
  const all = isNew ? [...scenarios, added] : scenarios;
  return all.length > 0 ? all : [FIRST_SCENARIO];
}

/** What the caller says, one line each; null if the caller does more than speak. Only the JSON view shows that. */
export function linesOf({ caller: { script, ...rest } }: Scenario): string | null {
  if (script === undefined || Object.keys(rest).length > 0) return null;
  const lines = script.map(({ say, ...others }) => (Object.keys(others).length > 0 ? undefined : say));
  return lines.some((line) => line === undefined || line.includes('\n')) ? null : lines.join('\n');
}

export function withLines(scenario: Scenario, lines: string): Scenario {
  return { ...scenario, caller: { script: lines.split('\n').map((say) => ({ say })) } };
}

type Expected = NonNullable<Scenario['expect']>;

/** Sets one expectation; an empty list removes it. */
export function withExpected<Name extends keyof Expected>(
  { expect: before, ...scenario }: Scenario,
  name: Name,
  value: Expected[Name] & readonly unknown[],
): Scenario {
  const { [name]: _, ...others } = before ?? {};
  const expect = { ...others, ...(value.length > 0 && { [name]: value }) };
  return Object.keys(expect).length > 0 ? { ...scenario, expect } : scenario;
}

/** Names of tools that must be called, with any arguments; null if the scenario expects more than names. */
export function toolsOf({ expect: { tools = [] } = {} }: Scenario): string[] | null {
  return tools.some((tool) => Object.keys(tool).length > 1) ? null : tools.map(({ name }) => name);
}

/** Returns a scenario that can be run: without empty lines, and with values for the variables that it does not set. */
export function playable(scenario: Scenario, templateContext: Record<string, unknown>): Scenario {
  const { caller, call } = scenario;
  const script = caller.script?.filter(({ say }) => say?.trim() !== '');
  const context = { ...templateContext, ...call?.templateContext };
  return {
    ...scenario,
    caller: { ...caller, ...(script && { script }) },
    ...(Object.keys(context).length > 0 && { call: { ...call, templateContext: context } }),
  };
}

/** Returns a name that no scenario has. */
export function freeName(scenarios: readonly Scenario[]): string {
  const names = new Set(scenarios.map(({ name }) => name));
  let number = scenarios.length + 1;
  while (names.has(`scenario ${number}`)) number += 1;
  return `scenario ${number}`;
}
