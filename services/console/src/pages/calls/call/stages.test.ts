import { describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../api/client.ts';
import { stageEntries } from './stages.ts';

const stage = (callStageId: string, settings: Partial<Schemas['CallStage']>): Schemas['CallStage'] => ({
  callId: 'call',
  callStageId,
  created: '2026-03-02T09:00:00Z',
  initialTokenCount: 10,
  latestTokenCount: 20,
  errorCount: 0,
  systemPrompt: 'Answer.',
  temperature: 0,
  model: 'svc-v0.7',
  voice: null,
  languageHint: null,
  keyTerms: [],
  experimentalSettings: null,
  initialState: {},
  timeExceededMessage: null,
  inactivityMessages: [],
  ...settings,
});

const began = (callStageId: string, extras: Record<string, unknown>): Schemas['CallEvent'] => ({
  callId: 'call',
  callStageId,
  callTimestamp: '12.5s',
  severity: 'info',
  type: 'stage_began',
  text: 'A new stage began.',
  extras,
  wallClockTimestamp: null,
});

describe('stageEntries', () => {
  it('lists the time, the tool and the changed settings of each stage', () => {
    const stages = [stage('a', {}), stage('b', { systemPrompt: 'Sell.', latestTokenCount: 99 })];
    const [first, second] = stageEntries(stages, [began('b', { stageId: 'b', toolName: 'transfer' })]);
    expect(first).toMatchObject({ beganMs: 0, toolName: null, changes: [] });
    expect(second).toMatchObject({ beganMs: 12_500, toolName: 'transfer' });
    expect(second?.changes).toEqual([
      { path: ['systemPrompt'], kind: 'changed', before: 'Answer.', after: 'Sell.' },
    ]);
  });

  it('has no tool when the call retains no content, and no time until the event has arrived', () => {
    const stages = [stage('a', {}), stage('b', {}), stage('c', {})];
    const entries = stageEntries(stages, [began('b', {})]);
    expect(entries.map(({ beganMs, toolName }) => [beganMs, toolName])).toEqual([
      [0, null],
      [12_500, null],
      [null, null],
    ]);
  });
});
