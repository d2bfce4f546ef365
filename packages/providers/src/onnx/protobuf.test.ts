import { describe, expect, it } from '@jest/globals';
import { encodeMessage, MessageReader } from './protobuf.ts';

describe('Protocol Buffers messages', () => {
  it('are encoded as in the documentation of the wire format', () => {
    expect([...encodeMessage({ 1: 150 })]).toEqual([0x08, 0x96, 0x01]);
    expect(Buffer.from(encodeMessage({ 2: 'testing' })).toString('latin1')).toBe('\x12\x07testing');
    expect([...encodeMessage({ 3: encodeMessage({ 1: 150 }) })]).toEqual([0x1a, 0x03, 0x08, 0x96, 0x01]);
  });

  it('are decoded to the values that were encoded', () => {
    const bytes = encodeMessage({
      1: [0, 127, 128, 2 ** 40],
      2: ['a', Uint8Array.of(0xc3, 0xa9)],
      20: 'x'.repeat(200),
    });
    const message = new MessageReader(bytes);
    expect(message.numbers(1)).toEqual([0, 127, 128, 2 ** 40]);
    expect(message.payloads(2).map((payload) => Buffer.from(payload).toString())).toEqual(['a', 'é']);
    expect(message.text(20)).toHaveLength(200);
    expect([message.numbers(7), message.payloads(7), message.text(7)]).toEqual([[], [], '']);
  });

  it('are decoded past fixed-size fields, and rejected when malformed', () => {
    const withFixed = [0x0d, 1, 2, 3, 4, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 5];
    expect(new MessageReader(Uint8Array.from(withFixed)).numbers(3)).toEqual([5]);
    for (const malformed of [[0x08], [0x08, 0x80], [0x12, 2, 1], [0x0d, 1], [0x0b]]) {
      expect(() => new MessageReader(Uint8Array.from(malformed))).toThrow(RangeError);
    }
  });
});
