import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { receivedMessage } from './received.ts';
import { writeMessage, type SipMessage } from './message.ts';
import { readNameAddress, writeNameAddress } from './name-address.ts';
import { parseMessage } from './parse-message.ts';
import { readSipUri, writeSipUri } from './uri.ts';

const SOURCE = { transport: 'udp', address: '192.0.2.1', port: 5060 } as const;
const token = fc.stringMatching(/^[A-Za-z0-9.!%*_+`'~-]{1,20}$/u);
const word = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/u);
/** Begins and ends with a visible character, so that it is not trimmed or folded. */
const value = fc.stringMatching(/^[!-~äß€]([ -~äß€]{0,60}[!-~äß€])?$/u);
const reason = fc.oneof(fc.constant(''), value);
const headers = fc.array(
  fc.tuple(
    fc.constantFrom('Via', 'From', 'Call-ID', 'CSeq', 'Contact', 'X-Made-Up', 'WWW-Authenticate', 'Route'),
    value,
  ),
  { maxLength: 20 },
);
const body = fc.string({ unit: 'grapheme', maxLength: 300 });
const message: fc.Arbitrary<SipMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('request' as const),
    method: token,
    uri: word.map((each) => `sip:${each}`),
    headers,
    body,
  }),
  fc.record({
    kind: fc.constant('response' as const),
    status: fc.integer({ min: 100, max: 699 }),
    reason,
    headers,
    body,
  }),
);

/** A message with random edits: bytes cut out, inserted or overwritten. */
const mangled = fc
  .tuple(
    message,
    fc.array(fc.tuple(fc.nat(400), fc.nat(50), fc.uint8Array({ maxLength: 30 })), { maxLength: 6 }),
  )
  .map(([original, edits]) => {
    let bytes = Buffer.from(writeMessage(original));
    for (const [at, length, put] of edits) {
      bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + length)]);
    }
    return bytes;
  });

describe('parsing and writing', () => {
  it('never throws for any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 2000 }), mangled), (bytes) => {
        const read = parseMessage(bytes);
        if (read) receivedMessage(read, SOURCE, bytes.length);
      }),
      { numRuns: 1000 },
    );
  });

  it('returns the message that was written', () => {
    fc.assert(
      fc.property(message, (original) => {
        const length = String(Buffer.byteLength(original.body));
        expect(parseMessage(Buffer.from(writeMessage(original)))).toEqual({
          ...original,
          headers: [...original.headers, ['Content-Length', length]],
        });
      }),
    );
  });

  it('returns the addresses and URIs that were written', () => {
    const parameters = fc
      .array(
        fc.tuple(
          word.map((each) => each.toLowerCase()),
          fc.option(word),
        ),
      )
      .map((all) => new Map(all));
    const uri = fc.record({
      scheme: fc.constantFrom('sip' as const, 'sips' as const),
      user: fc.option(word),
      host: fc.constantFrom('example.test', '192.0.2.1', '[2001:db8::1]', 'localhost'),
      port: fc.option(fc.integer({ min: 1, max: 65_535 })),
      parameters,
    });
    fc.assert(
      fc.property(uri, fc.string({ maxLength: 30 }), parameters, (wanted, name, outside) => {
        const written = writeSipUri(wanted);
        expect(readSipUri(written)).toEqual(wanted);
        const address = { displayName: name.trim(), uri: written, parameters: outside };
        expect(readNameAddress(writeNameAddress(address))).toEqual(address);
      }),
    );
  });

  it('writes no extra lines when a header value contains line breaks', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const evil = `${text}\r\nX-Injected: 1\r\n\r\nbody`;
        const written = writeMessage({
          kind: 'request',
          method: 'BYE',
          uri: 'sip:x',
          headers: [['Subject', evil]],
          body: '',
        });
        const names = parseMessage(Buffer.from(written))?.headers.map(([each]) => each);
        expect(names).toEqual(['Subject', 'Content-Length']);
      }),
    );
  });
});
