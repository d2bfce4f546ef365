import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { EndReason } from './enums.ts';
import { TestScenario } from './test-scenario.ts';

/** Maximum number of scenarios in a run. */
export const MAX_TEST_SCENARIOS = 100;

const scenariosWith = (minItems: number, description: string) =>
  Type.Array(TestScenario, { minItems, maxItems: MAX_TEST_SCENARIOS, description });

export const TestSuite = Closed(
  { scenarios: scenariosWith(0, 'The scenarios, in order. Their names are unique.') },
  'TestSuite',
  'The scenarios that are stored with an agent.',
);
export type TestSuite = Static<typeof TestSuite>;

export const CreateTestRun = Closed(
  {
    agentId: described(Uuid, 'Id of the agent to test.'),
    revisionId: Type.Optional(described(Uuid, 'Id of the revision to test. Defaults to the published one.')),
    scenarios: Type.Optional(
      scenariosWith(1, 'Scenarios to run. Their names are unique. Defaults to the test suite of the agent.'),
    ),
  },
  'CreateTestRun',
  'An agent and the scenarios to test it with.',
);
export type CreateTestRun = Static<typeof CreateTestRun>;

const TestStatus = Type.Enum(['passed', 'failed', 'skipped', 'error']);

const TestFinding = Closed(
  {
    path: Type.String({
      description: 'Dotted path of the expectation in the scenario; empty for the call as a whole.',
    }),
    message: Type.String({ description: 'Difference from the expectation.' }),
  },
  'TestFinding',
  'Why a scenario did not pass.',
);

const TestLine = Closed(
  {
    time: described(Duration, 'Time since the join.'),
    who: Type.Enum(['caller', 'agent', 'tool call', 'tool result'], {
      description: 'Who said it, or what it is.',
    }),
    text: Type.String({ description: 'What was said; arguments of a tool call or its result, as JSON.' }),
    toolName: Nullable(Type.String(), 'Name of the tool; null for what was said.'),
  },
  'TestLine',
  'A line of a simulated conversation.',
);

export const TestResult = Closed(
  {
    name: Type.String({ description: 'Name of the scenario.' }),
    status: described(
      TestStatus,
      '`skipped`: it needs a language model, and none is configured. `error`: it could not be run.',
    ),
    findings: Type.Array(TestFinding, { description: 'Why the scenario did not pass.' }),
    endReason: Nullable(EndReason, 'Why the call ended; null without a call.'),
    duration: Nullable(Duration, 'Duration of the simulated call, in virtual time; null without a call.'),
    lines: Type.Array(TestLine, { description: 'The conversation.' }),
  },
  'TestResult',
  'The outcome of a scenario.',
);
export type TestResult = Static<typeof TestResult>;

const TestChange = Closed(
  {
    name: Type.String({ description: 'Name of the scenario.' }),
    before: Nullable(TestStatus, 'Its outcome in the previous run; null if that did not have it.'),
    after: Nullable(TestStatus, 'Its outcome in this run; null if this does not have it.'),
  },
  'TestChange',
  'A scenario with another outcome than in the previous run.',
);
export type TestChange = Static<typeof TestChange>;

const summary = {
  testRunId: described(Uuid, 'Id of the run.'),
  agentId: described(Uuid, 'Id of the agent.'),
  revisionId: described(Uuid, 'Version of the agent that is tested.'),
  created: described(DateTime, 'When the run was created.'),
  ended: Nullable(DateTime, 'When the run ended; null before that.'),
  scenarioCount: Type.Integer({ minimum: 1, description: 'Number of scenarios.' }),
  passed: Type.Integer({ minimum: 0, description: 'Scenarios that passed; 0 before the end.' }),
  failed: Type.Integer({ minimum: 0, description: 'Scenarios that failed or could not be run.' }),
  skipped: Type.Integer({ minimum: 0, description: 'Scenarios that were skipped.' }),
};

export const TestRunSummary = Closed(
  summary,
  'TestRunSummary',
  'A test run of an agent, without its results.',
);
export type TestRunSummary = Static<typeof TestRunSummary>;

export const TestRun = Closed(
  {
    ...summary,
    scenarios: Type.Array(TestScenario, { description: 'The scenarios, in order.' }),
    results: Type.Array(TestResult, {
      description: 'Outcomes, in the order of the scenarios; empty before the end.',
    }),
    previousRunId: Nullable(
      Uuid,
      'The last run of an earlier version of the agent that ended before this one; null if there is none.',
    ),
    changes: Type.Array(TestChange, {
      description: 'Scenarios with another outcome than in the previous run.',
    }),
  },
  'TestRun',
  'A test of an agent with simulated callers.',
);
export type TestRun = Static<typeof TestRun>;
