import { hasToken, headerOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';

/**
 * What a 2xx says of the session timer that a request asks for (RFC 4028): the peer refreshes. Where it wants us to, or knows
 * nothing of timers, the session has none; a peer that is gone is noticed by its silence.
 */
export function sessionTimerHeaders(request: SipRequest): SipHeaders {
  const asked = headerOf(request, 'Session-Expires');
  const groups = /^(?<seconds>\d{1,9})(?<rest>\s*;.*)?$/u.exec(asked ?? '')?.groups;
  const isKnown = hasToken(request, 'Supported', 'timer') || hasToken(request, 'Require', 'timer');
  if (!groups?.['seconds'] || !isKnown || /refresher\s*=\s*uas/iu.test(groups['rest'] ?? '')) return [];
  return [
    ['Session-Expires', `${groups['seconds']};refresher=uac`],
    ['Require', 'timer'],
  ];
}
