import { describe, expect, it } from '@jest/globals';
import { readEnvelope } from './envelope.ts';
import { headerOf, headersOf, listOf } from './headers.ts';
import { sdpOf, type SipMessage } from './message.ts';
import { parseMessage } from './parse-message.ts';

function parsed(...lines: string[]): SipMessage | null {
  return parseMessage(Buffer.from(lines.join('\r\n')));
}

function whole(...lines: string[]): SipMessage {
  const message = parsed(...lines);
  if (!message) throw new Error('not a message');
  return message;
}

const ESSENTIAL = [
  'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
  'From: <sip:a@example.test>;tag=1',
  'To: <sip:b@example.test>',
  'Call-ID: 1@example.test',
  'CSeq: 7 INVITE',
];

describe('parseMessage', () => {
  it('parses compact names, folded lines, irregular whitespace and several Via fields (RFC 4475)', () => {
    const message = whole(
      'INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0',
      'TO :',
      ' sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n',
      String.raw`from   : "J Rosenberg \\\""       <sip:jdrosen@example.com>`,
      '  ;',
      '  tag = 98asjd8',
      'MaX-fOrWaRdS: 0068',
      'Call-ID: intmeth.word%ZK-!.*_+',
      'cseq: 0009',
      '  INVITE',
      'Via  : SIP  /   2.0',
      ' /UDP',
      '    192.0.2.2;branch=390skdjuw',
      's :',
      'NewFangledHeader:   newfangled value',
      ' continued newfangled value',
      'v:  SIP  / 2.0  / TCP     spindle.example.com   ;',
      '  branch  =   z9hG4bK9ikj8  ,',
      ' SIP  /    2.0   / UDP  192.168.255.111   ; branch=',
      ' z9hG4bK30239',
      'm:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =',
      '      newvalue ;',
      '  secondparam ; q = 0.33',
      'l: 0',
      '',
      '',
    );
    expect(readEnvelope(message)).toMatchObject({
      via: { transport: 'UDP', host: '192.0.2.2', port: null },
      branch: '390skdjuw',
      from: { displayName: String.raw`J Rosenberg \"`, uri: 'sip:jdrosen@example.com' },
      fromTag: '98asjd8',
      toTag: '1918181833n',
      cseq: { number: 9, method: 'INVITE' },
    });
    expect(listOf(message, 'Via')).toHaveLength(3);
    expect(headersOf(message, 'Subject')).toEqual(['']);
    expect(headerOf(message, 'Newfangledheader')).toBe('newfangled value continued newfangled value');
  });

  it('reads a body of Content-Length bytes, or up to the end without a Content-Length', () => {
    expect(whole('BYE sip:b SIP/2.0', 'l: 4', '', 'bodyrest').body).toBe('body');
    expect(whole('BYE sip:b SIP/2.0', '', 'bodyrest').body).toBe('bodyrest');
    const sdp = whole('SIP/2.0 200 OK', 'c: Application/SDP ; charset=utf-8', '', 'v=0');
    expect(sdpOf(sdp)).toBe('v=0');
    expect(sdpOf(whole('SIP/2.0 200 OK', 'Content-Type: text/plain', '', 'v=0'))).toBeNull();
  });

  it('finds the session description in a body with several parts', () => {
    const withParts = (type: string, ...lines: readonly string[]) =>
      sdpOf(whole('INVITE sip:b SIP/2.0', `Content-Type: ${type}`, '', ...lines));
    const isup = ['--x', 'Content-Type: application/isup;version=itu-t92+', '', '\u0001\u0002'];
    const sdp = ['--x ', 'Content-Disposition: session', 'content-type: Application/SDP', '', 'v=0', 's=-'];
    const mixed = 'multipart/mixed;boundary="x"';
    expect(withParts(mixed, 'preamble', ...isup, ...sdp, '--x--', '')).toBe('v=0\r\ns=-\r\n');
    expect(withParts('Multipart/Alternative; boundary=x', ...sdp, ...isup, '--x--')).toBe('v=0\r\ns=-\r\n');
    expect(withParts(mixed, ...isup, '--x--', ...sdp)).toBeNull();
    expect(withParts(mixed, '--x', 'v=0')).toBeNull();
    expect(withParts('multipart/mixed', ...sdp, '--x--')).toBeNull();
  });

  it('accepts empty lines at the start, bare line feeds and a missing reason phrase', () => {
    expect(parseMessage(Buffer.from('\r\n\r\nSIP/2.0 180\nCSeq: 1 INVITE\n\nx'))).toEqual({
      kind: 'response',
      status: 180,
      reason: '',
      headers: [['CSeq', '1 INVITE']],
      body: 'x',
    });
  });

  it.each([
    ['empty input', ''],
    ['empty lines', '\r\n\r\n'],
    ['another protocol', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another SIP version', 'OPTIONS sip:x SIP/7.0\r\n\r\n'],
    ['an invalid status', 'SIP/2.0 099 No\r\n\r\n'],
    ['a space in the URI', 'INVITE sip:a; lr@x SIP/2.0\r\n\r\n'],
    ['a header without a colon', 'BYE sip:x SIP/2.0\r\nnonsense\r\n\r\n'],
    ['an invalid Content-Length', 'BYE sip:x SIP/2.0\r\nContent-Length: -999\r\n\r\n'],
    ['a body shorter than Content-Length', 'BYE sip:x SIP/2.0\r\nContent-Length: 9\r\n\r\nbody'],
    ['a line that is too long', `BYE sip:x SIP/2.0\r\nX: ${'x'.repeat(9000)}\r\n\r\n`],
    ['a folded line that is too long', `BYE sip:x SIP/2.0\r\nX: x${'\r\n xxxx'.repeat(2000)}\r\n\r\n`],
    ['too many header fields', `BYE sip:x SIP/2.0\r\n${'X: x\r\n'.repeat(300)}\r\n`],
    ['a head that is too large', `BYE sip:x SIP/2.0\r\n${`X: ${'x'.repeat(500)}\r\n`.repeat(50)}\r\n`],
    ['a message that is too large', `BYE sip:x SIP/2.0\r\n\r\n${'x'.repeat(70_000)}`],
  ])('returns null for %s', (_what, text) => {
    expect(parseMessage(Buffer.from(text))).toBeNull();
  });
});

describe('readEnvelope', () => {
  const message = (lines: readonly string[]): SipMessage => whole('INVITE sip:b SIP/2.0', ...lines, '', '');

  it('reads an envelope with all required fields', () => {
    expect(readEnvelope(message(ESSENTIAL))).toMatchObject({ callId: '1@example.test', toTag: null });
  });

  it.each(ESSENTIAL.map((line, i) => [line, i] as const))('returns null without %s', (_line, i) => {
    expect(readEnvelope(message(ESSENTIAL.toSpliced(i, 1)))).toBeNull();
  });

  it.each(['From: <sip:c@example.test>;tag=2', 'Call-ID: 2', 'CSeq: 8 INVITE', 't: sip:c'])(
    'returns null when the message also has %s',
    (line) => {
      expect(readEnvelope(message([...ESSENTIAL, line]))).toBeNull();
    },
  );

  it.each(['CSeq: 36893488147419103232 INVITE', 'CSeq: 7 BYE', 'CSeq: INVITE', 'Via: SIP/2.0/UDP'])(
    'returns null with %s in place of a valid field',
    (line) => {
      const name = line.split(':')[0] ?? '';
      expect(
        readEnvelope(message(ESSENTIAL.map((each) => (each.startsWith(name) ? line : each)))),
      ).toBeNull();
    },
  );
});
