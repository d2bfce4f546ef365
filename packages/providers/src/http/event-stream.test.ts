import { describe, expect, it } from '@jest/globals';
import { EventStreamReader } from './event-stream.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('EventStreamReader', () => {
  it('returns the same events wherever the bytes are split', () => {
    const stream = bytes(
      ': a comment\n\ndata: {"a":"é🙂"}\r\n\r\nevent: x\ndata: two\ndata: lines\n\ndata: [DONE]\n\n',
    );
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const reader = new EventStreamReader();
      const events = [
        ...reader.push(stream.subarray(0, cut)),
        ...reader.push(stream.subarray(cut)),
        ...reader.end(),
      ];
      expect(events).toEqual(['{"a":"é🙂"}', 'two\nlines', '[DONE]']);
    }
  });

  it('returns the last event of a stream that ends without a blank line', () => {
    const reader = new EventStreamReader();
    expect(reader.push(bytes('data: last'))).toEqual([]);
    expect(reader.end()).toEqual(['last']);
  });

  it('throws for an event that exceeds the size limit', () => {
    const reader = new EventStreamReader();
    const grow = (): void => {
      for (let i = 0; i < 100; i += 1) reader.push(bytes(i === 0 ? 'data: ' : 'x'.repeat(10_000)));
    };
    expect(grow).toThrow(RangeError);
    expect(() => reader.push(bytes('y'))).toThrow(RangeError);
    expect(reader.end()).toEqual([]);
  });
});
