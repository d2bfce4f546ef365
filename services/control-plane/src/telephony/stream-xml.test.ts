import { describe, expect, it } from '@jest/globals';
import { hangUpXml, streamXml, transferXml } from './stream-xml.ts';

const urls = {
  joinUrl: 'wss://media.example/join/1/a&b="<c>',
  answerUrl: 'https://api.example/telephony/1/answer?token=a&b',
};
const joins = 'wss://media.example/join/1/a&amp;b=&quot;&lt;c&gt;';
const redirect = '<Redirect method="POST">https://api.example/telephony/1/answer?token=a&amp;b</Redirect>';
const xml = (inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${inside}</Response>\n`;

describe('what providers are answered', () => {
  it('streams to the joinUrl, as each wants to be told, and asks what comes after it', () => {
    expect(streamXml('telephony1', urls)).toBe(xml(`<Connect><Stream url="${joins}"/></Connect>${redirect}`));
    expect(streamXml('telephony2', urls)).toBe(
      xml(
        `<Connect><Stream url="${joins}" bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>${redirect}`,
      ),
    );
    expect(streamXml('telephony3', urls)).toBe(
      xml(
        `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-l16;rate=16000">${joins}</Stream>${redirect}`,
      ),
    );
  });

  it('hangs up', () => {
    expect(hangUpXml()).toBe(xml('<Hangup/>'));
  });

  it.each(['telephony1', 'telephony2', 'telephony3'] as const)('dials a phone number by %s', (provider) => {
    expect(transferXml(provider, { target: '+4930123', callerId: null })).toBe(
      xml('<Dial><Number>+4930123</Number></Dial>'),
    );
    expect(transferXml(provider, { target: 'tel:+4930123', callerId: '+49"<30' })).toBe(
      xml('<Dial callerId="+49&quot;&lt;30"><Number>+4930123</Number></Dial>'),
    );
    expect(transferXml(provider, { target: '+49<Hangup/>\u0007\ud800&', callerId: null })).toBe(
      xml('<Dial><Number>+49&lt;Hangup/&gt;\ufffd&amp;</Number></Dial>'),
    );
  });

  it.each([
    ['telephony1', 'Sip'],
    ['telephony2', 'Sip'],
    ['telephony3', 'User'],
  ] as const)('dials a SIP URI by %s', (provider, noun) => {
    expect(transferXml(provider, { target: 'sip:a@b.test?x=1&y=2', callerId: null })).toBe(
      xml(`<Dial><${noun}>sip:a@b.test?x=1&amp;y=2</${noun}></Dial>`),
    );
    expect(transferXml(provider, { target: 'SIPS:a@b.test', callerId: null })).toContain(
      `<${noun}>SIPS:a@b.test</${noun}>`,
    );
  });
});
