import { describe, expect, it } from '@jest/globals';
import { LineReader } from './line-reader.ts';

describe('LineReader', () => {
  it('returns the same lines wherever the bytes are split, without empty lines', () => {
    const stream = Buffer.from('{"a":"é🙂"}\r\n\n{"b":2}\n{"c":3}');
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const reader = new LineReader(100);
      const lines = [
        ...reader.push(stream.subarray(0, cut)),
        ...reader.push(stream.subarray(cut)),
        ...reader.end(),
      ];
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([{ a: 'é🙂' }, { b: 2 }, { c: 3 }]);
    }
  });

  it('throws for a line that exceeds the size limit', () => {
    const reader = new LineReader(1000);
    expect(() => {
      for (let i = 0; i < 20; i += 1) reader.push(Buffer.from('x'.repeat(100)));
    }).toThrow(RangeError);
  });
});
