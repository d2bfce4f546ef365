import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { Issue } from '@calls/foundation/schema/validator';
import type { TelephonyAccount } from '@calls/providers/telephony/telephony-vendor';
import { TELEPHONY_ACCOUNT_VENDORS } from '@calls/providers/telephony/telephony-vendors';
import type { Database } from '@calls/store/store';
import { findTelephonyConfig } from '@calls/store/tables/telephony-configs';

/** Checks that the account has a configuration of the telephony vendor that dials. */
export async function telephonyIssues(
  db: Database,
  accountId: string,
  { medium }: StartCallRequest,
): Promise<Issue[]> {
  for (const { key, account } of TELEPHONY_ACCOUNT_VENDORS) {
    const outgoing = medium?.[key]?.outgoing;
    if (!outgoing) continue;
    const path = `medium.${key}.outgoing`;
    const { numberSeparator: separator }: TelephonyAccount = account;
    if (separator !== undefined && outgoing.to.includes(separator)) {
      return [
        { path: `${path}.to`, message: `must be one phone number: ${separator} separates several numbers` },
      ];
    }
    if (await findTelephonyConfig(db, accountId, key)) return [];
    return [{ path, message: `needs a configuration of ${key}, and the account has none` }];
  }
  return [];
}
