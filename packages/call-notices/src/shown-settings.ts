import type { Callbacks, CallMedium } from '@calls/api-contract';
import { omit } from '@calls/foundation';
import {
  callSecretsContext,
  openPaths,
  SecretBoxError,
  type PathPatterns,
  type SecretBox,
} from '@calls/secret-box';
import type { CallRow, CallSettings } from '@calls/store';

/** Headers that the API shows to their owner. */
export const SHOWN_SECRETS: PathPatterns = ['dataConnection.headers.*', 'externalVoice.generic.headers.*'];

/** What the owner of a call may see of its settings: headers as they were given, no other secret. */
export function shownSettings(box: SecretBox, row: Pick<CallRow, 'account_id' | 'settings'>): CallSettings {
  const { callbacks, medium } = row.settings;
  const settings = omit(row.settings, 'sharedSecrets', 'selectedTools');
  const context = callSecretsContext(row.account_id);
  const open = (text: string): string => (box.isSealed(text) ? openOrNothing(box, text, context) : text);
  return {
    ...openPaths(settings, SHOWN_SECRETS, open),
    medium: openPaths(withoutPassword(medium), ['sip.outgoing.*'], open),
    ...(callbacks && { callbacks: withoutSecrets(callbacks) }),
  };
}

/** Nothing where the key is gone: one header must not keep its call, and every list with it, from being shown. */
export function openOrNothing(box: SecretBox, sealed: string, context: string): string {
  try {
    return box.open(sealed, context);
  } catch (thrown) {
    if (thrown instanceof SecretBoxError) return '';
    throw thrown;
  }
}

/** A medium without the password of an outgoing SIP call. */
export function withoutPassword(medium: CallMedium): CallMedium {
  if (!medium.sip?.outgoing) return medium;
  return { sip: { outgoing: omit(medium.sip.outgoing, 'password') } };
}

function withoutSecrets(callbacks: Callbacks): Callbacks {
  return Object.fromEntries(Object.entries(callbacks).map(([hook, { url }]) => [hook, { url }]));
}
