import { describe, expect, it } from '@jest/globals';
import {
  attributeOf,
  errorText,
  readStun,
  splitStun,
  STUN_ATTRIBUTES,
  STUN_TYPES,
  writeStun,
  writeXorAddress,
  xorAddress,
} from './stun-message.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** The sample response of RFC 5769 section 2.2, and the mapped address of section 2.3. */
const ANSWER = bytes(
  `0101003c 2112a442 b7e7a701bc34d686fa87dfae 8022000b 7465737420766563746f7220
   00200008 0001a147e112a643 00080014 2b91f599fd9e90c38c7489f92af9ba53f06be7d7 80280004 c07d4c96`.replaceAll(
    /\s/gu,
    '',
  ),
);
const IPV6 = bytes('0002a1470113a9faa5d3f179bc25f4b5bed2b9d9');

describe('STUN messages', () => {
  it('are parsed as in the sample of RFC 5769', () => {
    const message = readStun(ANSWER);
    if (!message) throw new Error('not read');
    expect(message.type).toBe(STUN_TYPES.bindingSuccess);
    const value = attributeOf(message, STUN_ATTRIBUTES.xorMappedAddress);
    if (!value) throw new Error('no address');
    expect(xorAddress(value, message.transactionId)).toBe('192.0.2.1:32853');
    expect(writeXorAddress('192.0.2.1', 32_853)).toEqual(value);
    expect(xorAddress(IPV6, message.transactionId)).toBe('[2001:db8:1234:5678:11:2233:4455:6677]:32853');
  });

  it('are encoded with message integrity and fingerprint, as in that sample', () => {
    const transactionId = ANSWER.subarray(8, 20);
    // The sample pads with other bytes than zero, so its first attribute is omitted; the other lengths are the same.
    const written = writeStun(
      {
        type: STUN_TYPES.bindingSuccess,
        transactionId,
        attributes: [[STUN_ATTRIBUTES.xorMappedAddress, ANSWER.subarray(40, 48)]],
      },
      Buffer.from('VOkJxbRl1RmTxUk/WvJxBt'),
    );
    expect(written.byteLength).toBe(ANSWER.byteLength - 16);
    expect(readStun(written)?.attributes.map(([type]) => type)).toEqual([0x0020, 0x0008, 0x8028]);
    expect(readStun(written.subarray(0, -1))).toBeNull();
  });

  it('are split from a stream, which leaves an incomplete message as the rest', () => {
    const cut = ANSWER.subarray(0, 30);
    expect(splitStun(Buffer.concat([ANSWER, ANSWER, cut]), 0)).toMatchObject({
      messages: { length: 2 },
      rest: cut,
    });
    const framed = Buffer.concat([Buffer.from([0, ANSWER.byteLength]), ANSWER]);
    expect(splitStun(Buffer.concat([framed, framed.subarray(0, 1)]), 2)).toMatchObject({
      messages: { length: 1 },
      rest: { length: 1 },
    });
    const junk = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(splitStun(junk, 0)).toEqual({ messages: [], rest: junk });
  });

  it('are rejected when malformed', () => {
    for (const junk of [Buffer.alloc(0), Buffer.alloc(20), Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]) {
      expect(readStun(junk)).toBeNull();
    }
    const cut = Buffer.from(ANSWER);
    cut.writeUInt16BE(0xff_ff, 22);
    expect(readStun(cut)).toBeNull();
    expect(xorAddress(Buffer.alloc(3), Buffer.alloc(12))).toBeNull();
  });

  it('are decoded to the code and the text of an error', () => {
    expect(errorText(Buffer.from([0, 0, 4, 1, ...Buffer.from('Unauthorized')]))).toEqual({
      code: 401,
      text: '401 Unauthorized',
    });
  });
});
