import { describe, expect, it } from '@jest/globals';
import { EventRateLimit } from './event-rate-limit.ts';

describe('EventRateLimit', () => {
  it('allows fifty events per type in ten seconds and counts the omitted ones', () => {
    const limit = new EventRateLimit();
    const taken = Array.from({ length: 60 }, (_each, i) => limit.take('malformed_message', i));
    expect(taken).toEqual([
      ...Array.from({ length: 50 }, () => 0),
      ...Array.from({ length: 10 }, () => null),
    ]);
    expect(limit.take('tool_error', 60)).toBe(0);
    expect(limit.take('malformed_message', 9999)).toBeNull();
    expect(limit.take('malformed_message', 10_000)).toBe(11);
    expect(limit.take('malformed_message', 10_001)).toBe(0);
  });
});
