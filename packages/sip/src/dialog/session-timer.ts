import { hasToken, headerOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';

/**
 * Session timer headers of a 2xx (RFC 4028). The peer is the refresher. If the peer wants us to refresh or does not
 * support timers, there is no session timer; missing media then reveals a peer that is gone.
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
