import { mapMarked } from '@calls/api-contract/marks';
import { StartCallRequest } from '@calls/api-contract/rest/call';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import { withoutSecrets } from '@calls/api-contract/secrets';
import { omit } from '@calls/foundation/omit';
import { CALLED_PARTY_MARK } from '@calls/foundation/schema/keywords';
import { SecretBoxError, type SecretBox } from '@calls/secrets/secret-box/secret-box';
import { callSecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import type { CallRow } from '@calls/store/tables/calls';

/** The settings of a call as its owner can see them: without secrets and tools. */
export function shownSettings(box: SecretBox, row: Pick<CallRow, 'account_id' | 'settings'>): CallSettings {
  const context = callSecretsContext(row.account_id);
  const open = (text: string): string => (box.isSealed(text) ? openOrNothing(box, text, context) : text);
  const settings = omit(withoutSecrets(StartCallRequest, row.settings), 'selectedTools');
  return mapMarked(StartCallRequest, CALLED_PARTY_MARK, settings, open);
}

/** Empty if the key is missing: one text must not prevent its call, and each list with it, from being shown. */
function openOrNothing(box: SecretBox, sealed: string, context: string): string {
  try {
    return box.open(sealed, context);
  } catch (thrown) {
    if (thrown instanceof SecretBoxError) return '';
    throw thrown;
  }
}
