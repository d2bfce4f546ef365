import { describe, expect, it } from '@jest/globals';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { idsOnly } from '@calls/telemetry/tracing/create-tracing';
import { startJobWorkers } from './job-workers.ts';
import { parseJob, type JobHandlers } from './jobs.ts';

describe('parseJob', () => {
  it('accepts only known kinds of jobs with valid fields', () => {
    const job = { kind: 'summarize_call', callId: newId() } as const;
    expect(parseJob(job)).toEqual(job);
    for (const bad of [null, 'x', {}, { kind: 'toString' }, { kind: 'summarize_call', callId: 'x' }]) {
      expect(parseJob(bad)).toBeNull();
    }
  });
});

describe('job workers', () => {
  it('do not start when a kind has no handler', () => {
    const handlers = {} as JobHandlers;
    expect(() =>
      startJobWorkers({
        redisUrl: 'redis://127.0.0.1:1',
        handlers,
        concurrency: 1,
        limitMs: 1000,
        tracing: idsOnly,
        log: silentLogger,
      }),
    ).toThrow('summarize_call');
  });
});
