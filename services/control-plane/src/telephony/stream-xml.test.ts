import { describe, expect, it } from '@jest/globals';
import { streamXml } from './stream-xml.ts';

const joinUrl = 'wss://media.example/join/1?token=a&b="<c>';
const escaped = 'wss://media.example/join/1?token=a&amp;b=&quot;&lt;c&gt;';
const xml = (inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${inside}</Response>\n`;

describe('the answer to a webhook', () => {
  it("streams to the call's joinUrl, as each provider wants to be told", () => {
    expect(streamXml('telephony1', joinUrl)).toBe(xml(`<Connect><Stream url="${escaped}"/></Connect>`));
    expect(streamXml('telephony2', joinUrl)).toBe(
      xml(`<Connect><Stream url="${escaped}" bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>`),
    );
    expect(streamXml('telephony3', joinUrl)).toBe(
      xml(
        `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-l16;rate=16000">${escaped}</Stream>`,
      ),
    );
  });
});
