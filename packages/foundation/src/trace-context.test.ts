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
  it('is parsed and formatted', () => {
    const trace = parseTraceparent(TRACEPARENT);
    expect(trace).toEqual({ traceId, spanId, sampled: true });
    expect(trace && traceparentOf(trace)).toBe(TRACEPARENT);
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)?.sampled).toBe(false);
  });

  it('with a later version is parsed as far as the format is known', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-03-more`)).toEqual({ traceId, spanId, sampled: true });
  });

  it.each([
    ['undefined', undefined],
    ['empty', ''],
    ['an invalid version', `ff-${traceId}-${spanId}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['upper-case digits', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a trace id that is too long', `00-${traceId}0-${spanId}-01`],
    ['trailing characters', `00-${traceId}-${spanId}-01x`],
    ['plain text', 'hello'],
  ])('is rejected when it is invalid: %s', (_what, text) => {
    expect(parseTraceparent(text)).toBeNull();
  });
});

describe('newTraceContext', () => {
  it('continues the parent’s trace, or starts a new one', () => {
    const first = newTraceContext(null);
    expect(parseTraceparent(traceparentOf(first))).toEqual(first);
    const next = newTraceContext(first);
    expect(next).toEqual({ ...first, spanId: next.spanId });
    expect(next.spanId).not.toBe(first.spanId);
    expect(newTraceContext(null).traceId).not.toBe(first.traceId);
  });
});

describe('runInTrace', () => {
  const trace = { traceId, spanId, sampled: true };

  it('sets the trace for the function and everything it starts, not for other code', async () => {
    expect(currentTrace()).toBeNull();
    expect(currentTraceparent()).toBeUndefined();
    const later = runInTrace(trace, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return currentTraceparent();
    });
    expect(currentLogFields()).toEqual({});
    expect(await later).toBe(TRACEPARENT);
  });

  it('passes the call id on to nested spans', () => {
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
