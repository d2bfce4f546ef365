import type { TelephonyProvider } from '@calls/api-contract';

/** What a provider's webhook is answered, so that the call's audio is streamed to and from `joinUrl`. */
const STREAMS: Readonly<Record<TelephonyProvider, (url: string) => string>> = {
  telephony1: (url) => `<Connect><Stream url="${url}"/></Connect>`,
  telephony2: (url) =>
    `<Connect><Stream url="${url}" bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>`,
  telephony3: (url) =>
    `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-l16;rate=16000">${url}</Stream>`,
};

export function streamXml(provider: TelephonyProvider, joinUrl: string): string {
  const stream = STREAMS[provider](escaped(joinUrl));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${stream}</Response>\n`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
