import { StartCallRequest } from '@calls/api-contract/rest/call';
import { withoutSecrets } from '@calls/api-contract/secrets';
import { omit } from '@calls/foundation/omit';
import { openPaths, type PathPatterns } from '@calls/secrets/secret-box/seal-paths';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { SecretBoxError } from '@calls/secrets/secret-box/secret-box-error';
import { callSecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import type { CallSettings } from '@calls/store/schema/call';
import type { CallRow } from '@calls/store/tables/calls';

/** The callee of a call by SIP: sealed too if no word of the call may reach a disk. */
export const CALLED: PathPatterns = ['to', 'from', 'username'].map((field) => `medium.sip.outgoing.${field}`);

/** What the owner of a call may see of its settings: no secret. */
export function shownSettings(box: SecretBox, row: Pick<CallRow, 'account_id' | 'settings'>): CallSettings {
  const context = callSecretsContext(row.account_id);
  const open = (text: string): string => (box.isSealed(text) ? openOrNothing(box, text, context) : text);
  return openPaths(omit(withoutSecrets(StartCallRequest, row.settings), 'selectedTools'), CALLED, open);
}

/** Nothing where the key is gone: one text must not keep its call, and every list with it, from being shown. */
function openOrNothing(box: SecretBox, sealed: string, context: string): string {
  try {
    return box.open(sealed, context);
  } catch (thrown) {
    if (thrown instanceof SecretBoxError) return '';
    throw thrown;
  }
}
