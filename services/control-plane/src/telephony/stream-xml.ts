import type { TelephonyProvider } from '@calls/api-contract/vendors/telephony-vendors';
import { TELEPHONY_ADAPTERS } from './vendors/telephony-adapters.ts';

/** Streams to `joinUrl`; when the stream has ended, `answerUrl` says what comes next. */
export function streamXml(
  provider: TelephonyProvider,
  { joinUrl, answerUrl }: { joinUrl: string; answerUrl: string },
): string {
  const redirect = `<Redirect method="POST">${escaped(answerUrl)}</Redirect>`;
  return response(`${TELEPHONY_ADAPTERS[provider].xml.stream(escaped(joinUrl))}${redirect}`);
}

/** Connects with a phone number or a SIP URI, and hangs up after that. `callerId`: the number shown; null: the vendor's default. */
export function transferXml(
  provider: TelephonyProvider,
  { target, callerId }: { target: string; callerId: string | null },
): string {
  const isSip = /^sips?:/iu.test(target);
  const verb = isSip
    ? TELEPHONY_ADAPTERS[provider].xml.sip(escaped(target))
    : `<Number>${escaped(target.replace(/^tel:/iu, ''))}</Number>`;
  const from = callerId === null ? '' : ` callerId="${escaped(callerId)}"`;
  return response(`<Dial${from}>${verb}</Dial>`);
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
