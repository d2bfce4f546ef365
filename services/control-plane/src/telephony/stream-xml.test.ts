import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import twilio from 'twilio';
import { hangUpXml, streamXml, transferXml } from './stream-xml.ts';

const urls = {
  joinUrl: 'wss://media.example/join/1/a&b="<c>',
  answerUrl: 'https://api.example/telephony/1/answer?token=a&b',
};
const joins = 'wss://media.example/join/1/a&amp;b=&quot;&lt;c&gt;';
const redirect = '<Redirect method="POST">https://api.example/telephony/1/answer?token=a&amp;b</Redirect>';
const xml = (inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${inside}</Response>\n`;

type Attributes = Readonly<Record<string, string | boolean>>;
/** The types of the library lack Stream and the return values of its elements. */
interface PlivoElement {
  addStream(body: string, attributes: Attributes): PlivoElement;
  addRedirect(body: string, attributes: Attributes): PlivoElement;
  addDial(attributes: Attributes): PlivoElement;
  addNumber(body: string, attributes: Attributes): PlivoElement;
  addUser(body: string, attributes: Attributes): PlivoElement;
  addHangup(attributes: Attributes): PlivoElement;
  toXML(): string;
}
const { Response: PlivoResponse } = createRequire(import.meta.url)('plivo/dist/utils/plivoxml.js') as {
  Response: new () => PlivoElement;
};

/** Without XML declaration and trailing line breaks, which differ between the libraries. */
const compact = (text: string): string => text.replace(/^<\?xml[^>]*>\s*/u, '').trim();

describe('provider XML compared with the libraries of the vendors', () => {
  const number = { target: '+4930123', callerId: '+49"<30' };
  const sip = { target: 'sip:a@b.test?x=1&y=2', callerId: null };

  it('matches the library of telephony1', () => {
    const { VoiceResponse } = twilio.twiml;
    const streaming = new VoiceResponse();
    streaming.connect().stream({ url: 'wss://media.example/join/1/a&b="<c' });
    streaming.redirect({ method: 'POST' }, urls.answerUrl);
    const answered = streamXml('telephony1', { ...urls, joinUrl: 'wss://media.example/join/1/a&b="<c' });
    expect(compact(answered)).toBe(compact(streaming.toString()));
    const dialling = new VoiceResponse();
    dialling.dial({ callerId: number.callerId }).number(number.target);
    expect(compact(transferXml('telephony1', number))).toBe(compact(dialling.toString()));
    const byUri = new VoiceResponse();
    byUri.dial().sip(sip.target);
    expect(compact(transferXml('telephony1', sip))).toBe(compact(byUri.toString()));
    const hanging = new VoiceResponse();
    hanging.hangup();
    expect(compact(hangUpXml())).toBe(compact(hanging.toString()));
  });

  it('matches the library of telephony3', () => {
    const streaming = new PlivoResponse();
    const attributes = { bidirectional: true, keepCallAlive: true, contentType: 'audio/x-l16;rate=16000' };
    streaming.addStream('wss://media.example/join/1/a&b<c>', attributes);
    streaming.addRedirect(urls.answerUrl, { method: 'POST' });
    const answered = streamXml('telephony3', { ...urls, joinUrl: 'wss://media.example/join/1/a&b<c>' });
    expect(compact(answered)).toBe(compact(streaming.toXML()));
    const dialling = new PlivoResponse();
    dialling.addDial({ callerId: '+4930' }).addNumber(number.target, {});
    expect(compact(transferXml('telephony3', { ...number, callerId: '+4930' }))).toBe(
      compact(dialling.toXML()),
    );
    const byUri = new PlivoResponse();
    byUri.addDial({}).addUser(sip.target, {});
    expect(compact(transferXml('telephony3', sip))).toBe(compact(byUri.toXML()));
    const hanging = new PlivoResponse();
    hanging.addHangup({});
    expect(compact(hangUpXml())).toBe(compact(hanging.toXML()));
  });
});

describe('provider XML', () => {
  it('streams to the joinUrl in the format of each provider, then requests the next instruction', () => {
    expect(streamXml('telephony1', urls)).toBe(xml(`<Connect><Stream url="${joins}"/></Connect>${redirect}`));
    expect(streamXml('telephony2', urls)).toBe(
      xml(
        `<Connect><Stream url="${joins}" codec="PCMU" bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>${redirect}`,
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

  it.each(['telephony1', 'telephony2', 'telephony3'] as const)('dials a phone number with %s', (provider) => {
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
  ] as const)('dials a SIP URI with %s', (provider, noun) => {
    expect(transferXml(provider, { target: 'sip:a@b.test?x=1&y=2', callerId: null })).toBe(
      xml(`<Dial><${noun}>sip:a@b.test?x=1&amp;y=2</${noun}></Dial>`),
    );
    expect(transferXml(provider, { target: 'SIPS:a@b.test', callerId: null })).toContain(
      `<${noun}>SIPS:a@b.test</${noun}>`,
    );
  });
});
