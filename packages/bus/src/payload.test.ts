import { describe, expect, it } from '@jest/globals';
import { newTraceContext, runInTrace } from '@calls/foundation/trace-context';
import { decodePayload, encodePayload, traceOf } from './payload.ts';

describe('encodePayload and decodePayload', () => {
  it('preserve small values and large, compressed values', async () => {
    for (const value of [{ text: 'héllo' }, { text: 'many words '.repeat(100_000) }]) {
      const payload = await encodePayload(value);
      expect(await decodePayload(payload.data)).toEqual(value);
    }
  });

  it('pass on the current trace in the headers, if any', async () => {
    const trace = newTraceContext(null);
    const { headers } = await runInTrace(trace, () => encodePayload({}));
    expect(traceOf(headers)).toEqual(trace);
    expect(traceOf((await encodePayload({})).headers)).toBeNull();
    expect(traceOf(undefined)).toBeNull();
  });

  it('compress a megabyte of text to under 200 kB', async () => {
    const { data } = await encodePayload({ text: 'a sentence that goes on and on. '.repeat(33_000) });
    expect(data.byteLength).toBeLessThan(200_000);
  });

  it('reject a payload that decompresses to more than the limit, and one that is not JSON', async () => {
    const bomb = await encodePayload({ text: 'x'.repeat(9 * 1024 * 1024) });
    await expect(decodePayload(bomb.data)).rejects.toThrow();
    await expect(decodePayload(Buffer.from('{'))).rejects.toThrow();
  });
});
