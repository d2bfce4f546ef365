import { describe, expect, it } from '@jest/globals';
import type { Expectations } from '@calls/api-contract/rest/test-scenario';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import type { CallRecord } from '../call/call-record.ts';
import { checkRecord } from './checks.ts';

const RECORD: CallRecord = {
  lines: [
    { atMs: 0, who: 'agent', text: 'Good evening. How can I help?', toolName: null },
    { atMs: 1000, who: 'caller', text: 'A table, please.', toolName: null },
    { atMs: 2000, who: 'agent', text: 'Your table is booked.', toolName: null },
  ],
  toolCalls: [
    { name: 'find', arguments: { day: 'Friday', guests: { adults: 2, children: 1 } } },
    { name: 'book', arguments: { table: 7, tags: ['window'] } },
    { name: 'book', arguments: { table: 8, tags: [] } },
  ],
  state: { booked: true, table: { number: 7 } },
  stagePrompts: ['You confirm bookings.'],
  endReason: 'hangup',
  transferTo: null,
  latenciesMs: [900, 700, 1200],
  interruptions: 1,
  errors: [],
  engineErrors: [],
  durationMs: 5000,
};

const findings = async (expected: Expectations): Promise<string[]> =>
  (await checkRecord(RECORD, expected, inProcessChecksOf('test'))).map(
    ({ path, message }) => `${path}: ${message}`,
  );

describe('checkRecord', () => {
  it.each<Expectations>([
    {},
    { tools: [{ name: 'book' }, { name: 'find' }] },
    { tools: [{ name: 'find' }, { name: 'book', arguments: { table: 8 } }], toolOrder: 'listed' },
    { tools: [{ name: 'find', arguments: { day: '/^fri/', guests: { adults: 2 } }, times: 1 }] },
    {
      tools: [
        { name: 'book', arguments: { tags: ['window'] }, times: 1 },
        { name: 'cancel', times: 0 },
      ],
    },
    { state: { table: { number: 7 } }, stages: ['confirm bookings'] },
    { says: ['good evening how can', '/book(ed|ing)/'], neverSays: ['evening help', '/sorry/'] },
    { endReason: 'hangup', interruptions: 1, latency: { p50: '0.9s', max: '1.2s' } },
  ])('accepts a call that meets %j', async (expected) => {
    expect(await findings(expected)).toEqual([]);
  });

  it.each<[Expectations, string]>([
    [
      { tools: [{ name: 'find', arguments: { day: 'friday' } }] },
      'expect.tools.0: find with {"day":"friday"} must be called, 0 match; calls: find({"day":"Friday","guests":{"adults":2,"children":1}})',
    ],
    [{ tools: [{ name: 'cancel' }] }, 'expect.tools.0: cancel must be called, 0 match; it was not called'],
    [{ tools: [{ name: 'book', arguments: { tags: ['window', 'round'] } }] }, 'expect.tools.0: book with'],
    [{ tools: [{ name: 'book', times: 1 }] }, 'expect.tools.0: book must be called 1 times, 2 match'],
    [
      { tools: [{ name: 'book' }, { name: 'find' }], toolOrder: 'listed' },
      'expect.tools.1: find must be called later; order of calls: find, book, book',
    ],
    [
      { state: { table: { number: 8 } } },
      'expect.state: the state of the call must contain {"table":{"number":8}}, it is',
    ],
    [{ stages: [] }, 'expect.stages: 0 new stages must begin, 1 did'],
    [{ stages: ['sell'] }, 'expect.stages.0: the prompt of the stage does not contain "sell"'],
    [{ says: ['goodbye'] }, 'expect.says.0: the agent never said "goodbye"'],
    [{ neverSays: ['/table.*booked/'] }, 'expect.neverSays.0: the agent said "Your table is booked."'],
    [{ endReason: 'timeout' }, 'expect.endReason: the call must end with timeout, it ended with hangup'],
    [{ transferTo: '+49' }, 'expect.transferTo: the call must be transferred to +49, it was not transferred'],
    [{ interruptions: 0 }, 'expect.interruptions: the agent must be interrupted 0 times, it was 1 times'],
    [{ latency: { p50: '0.8s' } }, 'expect.latency.p50: must be at most 0.8s, it was 900 ms'],
  ])('reports why %j is not met', async (expected, finding) => {
    const [first, ...others] = await findings(expected);
    expect(first?.startsWith(finding) === true ? finding : first).toBe(finding);
    expect(others).toEqual([]);
  });
});
