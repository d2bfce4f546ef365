import { SIP_MESSAGE_EVENT } from '@calls/api-contract/bus/call-log-entry';
import type { SipLogEntry } from '@calls/sip/endpoint-options';
import type { HostedCall } from '../../calls/hosted-call.ts';

/** Messages of a call that become call events; all of them are in its log. */
export const MAX_MESSAGE_EVENTS = 100;
/** Maximum length of a message. INVITEs with SDP are shorter. */
export const MAX_MESSAGE_CHARS = 4000;
const MAX_FIRST_LINE_CHARS = 200;

/** Reports the SIP messages of a live call as call events. Null for a call with zero retention. */
export function followMessages(
  call: Pick<HostedCall, 'note' | 'spec'>,
): ((message: SipLogEntry) => void) | null {
  if (call.spec.retention === 'zdr') return null;
  let left = MAX_MESSAGE_EVENTS;
  return ({ direction, peer, text }) => {
    if (left === 0) return;
    left -= 1;
    const message = storable(text.trimEnd().slice(0, MAX_MESSAGE_CHARS));
    const [firstLine = ''] = message.slice(0, MAX_FIRST_LINE_CHARS).split('\r\n', 1);
    const name = direction === 'sent' ? 'Sent' : 'Received';
    const address = peer.address.includes(':') ? `[${peer.address}]` : peer.address;
    call.note('debug', SIP_MESSAGE_EVENT, `${name}: ${firstLine}`, {
      direction,
      peer: `${peer.transport}:${address}:${peer.port}`,
      message,
      ...(left === 0 && { isLast: true }),
    });
  };
}

/** PostgreSQL stores neither NUL nor lone surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
