import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { Fault } from '@calls/api-contract/validation/validator';
import type { Database } from '@calls/store/store';
import { findTelephonyConfig } from '@calls/store/tables/telephony-configs';

const DIALLING = ['telephony1', 'telephony2', 'telephony3'] as const;

/** Who dials over a provider does so with the account's configuration of it. */
export async function telephonyFaults(
  db: Database,
  accountId: string,
  { medium }: StartCallRequest,
): Promise<Fault[]> {
  const provider = DIALLING.find((each) => medium?.[each]?.outgoing !== undefined);
  if (provider === undefined) return [];
  const path = `medium.${provider}.outgoing`;
  if (provider === 'telephony3' && medium?.telephony3?.outgoing?.to.includes('<')) {
    return [{ path: `${path}.to`, message: 'must name one phone: < would part several' }];
  }
  if (await findTelephonyConfig(db, accountId, provider)) return [];
  const message = `needs a configuration of ${provider}, and the account has none`;
  return [{ path, message }];
}
