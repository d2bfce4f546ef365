import { type TelephonyProvider, TELEPHONY_ACCOUNTS } from '@calls/providers/telephony/telephony-vendors';

/**
 * Streams to `joinUrl`. After the stream, the vendor requests the next instruction from `answerUrl`, or hangs up if that
 * is null.
 */
export function streamXml(
  provider: TelephonyProvider,
  { joinUrl, answerUrl }: { joinUrl: string; answerUrl: string | null },
): string {
  const next = answerUrl === null ? HANG_UP : `<Redirect method="POST">${escaped(answerUrl)}</Redirect>`;
  return response(`${TELEPHONY_ACCOUNTS[provider].xml.stream(escaped(joinUrl))}${next}`);
}

/**
 * Connects to a phone number or SIP URI, then hangs up. `callerId`: the displayed number; null for the vendor's
 * default.
 */
export function transferXml(
  provider: TelephonyProvider,
  { target, callerId }: { target: string; callerId: string | null },
): string {
  const isSip = /^sips?:/iu.test(target);
  const verb = isSip
    ? TELEPHONY_ACCOUNTS[provider].xml.sip(escaped(target))
    : `<Number>${escaped(target.replace(/^tel:/iu, ''))}</Number>`;
  const from = callerId === null ? '' : ` callerId="${escaped(callerId)}"`;
  return response(`<Dial${from}>${verb}</Dial>`);
}

export function hangUpXml(): string {
  return response(HANG_UP);
}

/** Identical for all vendors. */
const HANG_UP = '<Hangup/>';

function response(inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${inside}</Response>\n`;
}

/** Escapes text and attribute values, and removes characters that XML does not allow. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
