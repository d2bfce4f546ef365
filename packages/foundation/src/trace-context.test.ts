import { describe, expect, it } from '@jest/globals';
import {
  currentLogFields,
  currentTrace,
  currentTraceparent,
  newTraceContext,
  parseTraceparent,
  runInTrace,
  traceparentOf,
} from './trace-context.ts';

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const TRACEPARENT = `00-${traceId}-${spanId}-01`;

describe('traceparent', () => {
  it('is read and written', () => {
    const trace = parseTraceparent(TRACEPARENT);
    expect(trace).toEqual({ traceId, spanId, sampled: true });
    expect(trace && traceparentOf(trace)).toBe(TRACEPARENT);
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)?.sampled).toBe(false);
  });

  it('of a later version is read as far as it is known', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-03-more`)).toEqual({ traceId, spanId, sampled: true });
  });

  it.each([
    ['nothing', undefined],
    ['empty', ''],
    ['an invalid version', `ff-${traceId}-${spanId}-01`],
    ['no trace', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['no span', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['too long an id', `00-${traceId}0-${spanId}-01`],
    ['something behind it', `00-${traceId}-${spanId}-01x`],
    ['words', 'hello'],
  ])('that is none is not taken: %s', (_what, text) => {
    expect(parseTraceparent(text)).toBeNull();
  });
});

describe('a new place in a trace', () => {
  it("continues its parent's trace or starts a new one", () => {
    const first = newTraceContext(null);
    expect(parseTraceparent(traceparentOf(first))).toEqual(first);
    const next = newTraceContext(first);
    expect(next).toEqual({ ...first, spanId: next.spanId });
    expect(next.spanId).not.toBe(first.spanId);
    expect(newTraceContext(null).traceId).not.toBe(first.traceId);
  });
});

describe('code that runs in a trace', () => {
  const trace = { traceId, spanId, sampled: true };

  it('and everything it starts has the trace, other code does not', async () => {
    expect(currentTrace()).toBeNull();
    expect(currentTraceparent()).toBeUndefined();
    const later = runInTrace(trace, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return currentTraceparent();
    });
    expect(currentLogFields()).toEqual({});
    expect(await later).toBe(TRACEPARENT);
  });

  it('passes the call on to further spans', () => {
    const inner = newTraceContext(trace);
    runInTrace(
      trace,
      () => {
        runInTrace(inner, () => {
          expect(currentTrace()).toBe(inner);
          expect(currentLogFields()).toEqual({ traceId, callId: 'c' });
        });
        runInTrace(null, () => expect(currentTrace()).toBe(trace));
      },
      'c',
    );
  });
});
