import type { AdminInvitation } from '@calls/api-contract/rest/admin-account';
import { newId, randomSecret } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import { findInvitedAccount, putInvitation, takeInvitation } from '@calls/store/tables/account-invitations';
import { lockWholeAccount } from '@calls/store/tables/accounts';
import { insertAuditLogEntry } from '@calls/store/tables/audit-log';
import { hashOf } from '../auth/api-key.ts';
import { issueApiKey } from './issue-api-key.ts';

/** Path of the console's page for invitations. */
const PAGE = '/invitation';
const TOKEN_BYTES = 32;
const DEFAULT_LIFETIME_S = 3 * 86_400;

/** What the audit log shows instead of an administrator. */
const INVITED_USER = 'invited user';

export interface InvitationSettings {
  keyName?: string | undefined;
  expiresInSeconds?: number | undefined;
}

/** Creates an invitation. The result is the only place with its token. */
export async function createInvitation(
  tx: Database,
  accountId: string,
  { keyName = 'first key', expiresInSeconds = DEFAULT_LIFETIME_S }: InvitationSettings,
  { now, consoleUrl }: { now: Date; consoleUrl: string },
): Promise<AdminInvitation> {
  const token = randomSecret(TOKEN_BYTES);
  const expiresAt = new Date(now.getTime() + expiresInSeconds * 1000);
  await putInvitation(tx, { accountId, keyName, tokenHash: hashOf(token), createdAt: now, expiresAt });
  // Browsers do not send the fragment to servers, so that no log of a proxy has the token.
  const url = `${consoleUrl.replace(/\/+$/u, '')}${PAGE}#${token}`;
  return { url, keyName, expires: expiresAt.toISOString() };
}

/**
 * Ends the invitation and issues an API key of its account. Null if the token is unknown, used or expired, or the account
 * is deleted.
 */
export function acceptInvitation(
  db: Database,
  token: string,
  by: { now: Date; sourceAddress: string; requestId: string },
): Promise<{ secret: string } | null> {
  const tokenHash = hashOf(token);
  return db.transaction().execute(async (tx) => {
    const accountId = await findInvitedAccount(tx, tokenHash);
    if (accountId === undefined) return null;
    const account = await lockWholeAccount(tx, accountId);
    const invitation = await takeInvitation(tx, tokenHash);
    const { now, sourceAddress, requestId } = by;
    if (!account || account.deleted_at || !invitation || invitation.expires_at <= now) return null;
    const key = await issueApiKey(tx, { accountId, name: invitation.key_name, expiresAt: null }, now);
    await insertAuditLogEntry(tx, {
      ...{ entryId: newId(), at: now, administrator: INVITED_USER, sourceAddress, requestId, accountId },
      ...{ action: 'invitation.accepted', apiKeyPrefix: key.prefix },
      changes: { name: { before: null, after: key.name } },
    });
    return { secret: key.secret };
  });
}
