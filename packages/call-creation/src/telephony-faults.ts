import type { Fault, StartCallRequest } from '@calls/api-contract';
import { findTelephonyConfig, type Database } from '@calls/store';

const DIALLING = ['telephony1', 'telephony2', 'telephony3'] as const;

/** Who dials over a provider does so with the account's configuration of it. */
export async function telephonyFaults(
  db: Database,
  accountId: string,
  { medium }: StartCallRequest,
): Promise<Fault[]> {
  const provider = DIALLING.find((each) => medium?.[each]?.outgoing !== undefined);
  if (provider === undefined || (await findTelephonyConfig(db, accountId, provider))) return [];
  const message = `needs a configuration of ${provider}, and the account has none`;
  return [{ path: `medium.${provider}.outgoing`, message }];
}
