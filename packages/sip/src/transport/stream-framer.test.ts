import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StreamFramer } from './stream-framer.ts';

const ONE = 'OPTIONS sip:x SIP/2.0\r\nContent-Length: 4\r\n\r\nbody';
const TWO = 'SIP/2.0 200 OK\r\nl : 0\r\n\r\n';

function texts(messages: readonly Uint8Array[]): string[] {
  return messages.map((each) => Buffer.from(each).toString());
}

describe('StreamFramer', () => {
  it('yields the same messages and pings however the stream is chunked', () => {
    const stream = Buffer.from(`\r\n\r\n${ONE}${TWO}\r\n\r\n\r\n\r\n${TWO}\r\n${ONE}`);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), (sizes) => {
        const framer = new StreamFramer();
        const found: string[] = [];
        let pings = 0;
        for (let at = 0, i = 0; at < stream.length; i += 1) {
          const end = at + (sizes[i % sizes.length] ?? 1);
          const framed = framer.push(stream.subarray(at, end));
          found.push(...texts(framed.messages));
          pings += framed.pings;
          expect(framed.isBroken).toBe(false);
          at = end;
        }
        expect(found).toEqual([ONE, TWO, TWO, ONE]);
        expect(pings).toBe(3);
      }),
    );
  });

  it.each([
    ['a message without Content-Length', 'OPTIONS sip:x SIP/2.0\r\nX: y\r\n\r\n'],
    ['a message that is too long', 'OPTIONS sip:x SIP/2.0\r\nContent-Length: 99999\r\n\r\n'],
    ['a head that is too long', `OPTIONS sip:x SIP/2.0\r\n${'X: y\r\n'.repeat(20_000)}`],
  ])('reports a broken stream after the preceding message if it has %s', (_what, text) => {
    const framed = new StreamFramer().push(Buffer.from(ONE + text));
    expect(texts(framed.messages)).toEqual([ONE]);
    expect(framed.isBroken).toBe(true);
  });
});
