import { describe, expect, it } from '@jest/globals';
import { newTraceContext, runInTrace } from '@calls/foundation/trace-context';
import { decodePayload, encodePayload, traceOf } from './payload.ts';

describe('payload', () => {
  it('brings back what went in, small and plain or large and packed', async () => {
    for (const value of [{ text: 'héllo' }, { text: 'many words '.repeat(100_000) }]) {
      const payload = await encodePayload(value);
      expect(await decodePayload(payload.data)).toEqual(value);
    }
  });

  it('carries the trace that it is made in, if any', async () => {
    const trace = newTraceContext(null);
    const { headers } = await runInTrace(trace, () => encodePayload({}));
    expect(traceOf(headers)).toEqual(trace);
    expect(traceOf((await encodePayload({})).headers)).toBeNull();
    expect(traceOf(undefined)).toBeNull();
  });

  it('packs a megabyte of text into well under a megabyte', async () => {
    const { data } = await encodePayload({ text: 'a sentence that goes on and on. '.repeat(33_000) });
    expect(data.byteLength).toBeLessThan(200_000);
  });

  it('refuses what unpacks to more than it takes, and what is not JSON', async () => {
    const bomb = await encodePayload({ text: 'x'.repeat(9 * 1024 * 1024) });
    await expect(decodePayload(bomb.data)).rejects.toThrow();
    await expect(decodePayload(Buffer.from('{'))).rejects.toThrow();
  });
});
