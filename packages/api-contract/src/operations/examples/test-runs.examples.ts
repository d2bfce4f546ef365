import { exampleIds } from './example-values.ts';

export const createTestRunBody = {
  agentId: exampleIds.agent,
  scenarios: [
    {
      name: 'books a table',
      caller: { script: [{ say: 'Please book a table for 4 guests.' }] },
      tools: { bookTable: { result: 'booked' } },
      expect: { tools: [{ name: 'bookTable', arguments: { guests: 4 } }] },
    },
  ],
};

export const testSuite = { scenarios: createTestRunBody.scenarios };

export const testRunSummary = {
  testRunId: exampleIds.testRun,
  agentId: exampleIds.agent,
  revisionId: exampleIds.revision,
  created: '2026-03-02T09:00:00.000Z',
  ended: '2026-03-02T09:00:01.000Z',
  scenarioCount: 1,
  passed: 1,
  failed: 0,
  skipped: 0,
};

export const testRun = {
  ...testRunSummary,
  scenarios: createTestRunBody.scenarios,
  results: [
    {
      name: 'books a table',
      status: 'passed',
      findings: [],
      endReason: 'hangup',
      duration: '5.6s',
      lines: [
        { time: '2.7s', who: 'caller', text: 'Please book a table for 4 guests.', toolName: null },
        { time: '2.7s', who: 'tool call', text: '{"guests":4}', toolName: 'bookTable' },
        { time: '2.9s', who: 'tool result', text: 'booked', toolName: 'bookTable' },
        { time: '4.1s', who: 'agent', text: 'Your table is booked.', toolName: null },
      ],
    },
  ],
  previousRunId: null,
  changes: [],
};
