import { headersOf } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';
import { readParameters, splitOutside } from '../message/separated.ts';

/** The dialog that an INVITE replaces (RFC 3891), as its receiver sees it. */
export interface ReplacedDialog {
  callId: string;
  localTag: string;
  remoteTag: string;
  /** Only a dialog that is not yet established is replaced. */
  isEarlyOnly: boolean;
}

/** Null without Replaces. */
export function replacedDialog(invite: SipRequest): ReplacedDialog | 'malformed' | null {
  const [value, ...others] = headersOf(invite, 'Replaces');
  if (value === undefined) return null;
  const [callId = '', ...parts] = splitOutside(value, ';');
  const parameters = readParameters(parts);
  const localTag = parameters.get('to-tag') ?? '';
  const remoteTag = parameters.get('from-tag') ?? '';
  if (others.length > 0 || callId === '' || localTag === '' || remoteTag === '') return 'malformed';
  return { callId, localTag, remoteTag, isEarlyOnly: parameters.has('early-only') };
}
