import {
  SHOWN_SIP_HEADERS,
  type SipCallerRequestMessage,
  type SipInviteRequestMessage,
} from '@calls/api-contract/bus/sip-invites';
import type { IncomingInvite, SipParty } from '@calls/sip/calls';
import { hostOf } from '../sip-address.ts';

const MAX_TEXT = 256;
const MAX_NAME = 64;
const MAX_VALUE = 1024;
const MAX_HEADERS = 50;
/** A user part may have semicolons, too. */
const PARAMETERS = /^(?<address>(?:[^@]*@)?[^;@]*);[^@]*$/su;

/**
 * Asks a control-plane about an INVITE; sizes are bounded. `callId`: id of the call that it may create.
 * `registrationId`: the registration that the INVITE comes through. `trunkId`: the trunk that admitted the caller by
 * its credentials.
 */
export function inviteRequestMessage(
  {
    callId,
    registrationId,
    trunkId,
  }: { callId: string; registrationId: string | null; trunkId: string | null },
  {
    requestUri,
    from,
    to,
    headers,
    source,
  }: Pick<IncomingInvite, 'requestUri' | 'from' | 'to' | 'headers' | 'source'>,
): SipInviteRequestMessage {
  return {
    callId,
    ...callerRequestMessage({ requestUri, to, source }),
    from: bounded(from),
    headers: shown(headers),
    ...(registrationId !== null && { registrationId }),
    ...(trunkId !== null && { trunkId }),
  };
}

/** Asks a control-plane whether an address may call. */
export function callerRequestMessage({
  requestUri,
  to,
  source,
}: Pick<IncomingInvite, 'requestUri' | 'to' | 'source'>): SipCallerRequestMessage {
  return {
    domain: (hostOf(requestUri)?.toLowerCase() ?? to.host).slice(0, MAX_TEXT),
    to: bounded(to),
    sourceAddress: source.address.slice(0, MAX_NAME),
  };
}

function bounded({ uri, user, displayName }: SipParty): SipInviteRequestMessage['to'] {
  return {
    uri: uri.replace(PARAMETERS, '$<address>').slice(0, MAX_TEXT),
    user: user.slice(0, MAX_TEXT),
    displayName: displayName.slice(0, MAX_TEXT),
  };
}

/** If several headers share a name, the first one counts. */
function shown(headers: IncomingInvite['headers']): Record<string, string> {
  const shownHeaders = new Map<string, [name: string, value: string]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (shownHeaders.size >= MAX_HEADERS || shownHeaders.has(key) || name.length > MAX_NAME) continue;
    if (key.startsWith('x-') || SHOWN_SIP_HEADERS.includes(key))
      shownHeaders.set(key, [name, value.slice(0, MAX_VALUE)]);
  }
  return Object.fromEntries(shownHeaders.values());
}
