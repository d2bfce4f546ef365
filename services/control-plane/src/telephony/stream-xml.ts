import type { TelephonyProvider } from '@calls/api-contract/rest/telephony-config';

/** What a provider is told to do with a phone call, in its own XML. */
interface Verbs {
  /** Streams the sound of the phone call to and from the URL, and goes on with what follows when the stream has ended. */
  stream(url: string): string;
  /** Whom a call is connected with: a SIP URI. */
  sip(uri: string): string;
}

const VERBS: Readonly<Record<TelephonyProvider, Verbs>> = {
  telephony1: {
    stream: (url) => `<Connect><Stream url="${url}"/></Connect>`,
    sip: (uri) => `<Sip>${uri}</Sip>`,
  },
  telephony2: {
    stream: (url) =>
      `<Connect><Stream url="${url}" bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>`,
    sip: (uri) => `<Sip>${uri}</Sip>`,
  },
  telephony3: {
    stream: (url) =>
      `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-l16;rate=16000">${url}</Stream>`,
    sip: (uri) => `<User>${uri}</User>`,
  },
};

/** Streams to `joinUrl`; when the stream has ended, `answerUrl` says what comes next. */
export function streamXml(
  provider: TelephonyProvider,
  { joinUrl, answerUrl }: { joinUrl: string; answerUrl: string },
): string {
  const redirect = `<Redirect method="POST">${escaped(answerUrl)}</Redirect>`;
  return response(`${VERBS[provider].stream(escaped(joinUrl))}${redirect}`);
}

/** Connects with a phone number or a SIP URI, and hangs up after that. `callerId`: whom it is shown; null: as the provider does. */
export function transferXml(
  provider: TelephonyProvider,
  { target, callerId }: { target: string; callerId: string | null },
): string {
  const isSip = /^sips?:/iu.test(target);
  const whom = isSip
    ? VERBS[provider].sip(escaped(target))
    : `<Number>${escaped(target.replace(/^tel:/iu, ''))}</Number>`;
  const from = callerId === null ? '' : ` callerId="${escaped(callerId)}"`;
  return response(`<Dial${from}>${whom}</Dial>`);
}

/** The same for all providers. */
export function hangUpXml(): string {
  return response('<Hangup/>');
}

function response(inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${inside}</Response>\n`;
}

/** For text and for values in quotation marks; without what XML has no place for. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
