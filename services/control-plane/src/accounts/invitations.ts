import type { KeyRole } from '@calls/api-contract/rest/api-key';
import type { Invitation } from '@calls/api-contract/rest/invitation';
import { newId, randomSecret } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import {
  findInvitedAccount,
  putInvitation,
  consumeInvitation,
  type InvitationRow,
} from '@calls/store/tables/account-invitations';
import { lockWholeAccount } from '@calls/store/tables/accounts';
import { insertAuditLogEntry } from '@calls/store/tables/audit-log';
import { hashOf } from '../auth/api-key.ts';
import { issueApiKey } from './issue-api-key.ts';

/** Path of the console's page for invitations. */
const PAGE = '/invitation';
const TOKEN_BYTES = 32;
const DEFAULT_LIFETIME_S = 3 * 86_400;

/** Shown in the audit log in place of an administrator. */
const INVITED_USER = 'invited user';

export interface InvitationSettings {
  keyName?: string | undefined;
  expiresInSeconds?: number | undefined;
  /** Defaults to administrator. */
  role?: KeyRole;
  /**
   * Prefix of the key that creates the invitation. Absent for the operator: a new invitation then replaces the earlier
   * one.
   */
  creator?: string;
}

/** Creates an invitation. Only the result contains its token. */
export async function createInvitation(
  tx: Database,
  accountId: string,
  settings: InvitationSettings,
  { now, consoleUrl }: { now: Date; consoleUrl: string },
): Promise<{ row: InvitationRow; url: string }> {
  const { keyName = 'first key', expiresInSeconds = DEFAULT_LIFETIME_S, role = 'administrator' } = settings;
  const token = randomSecret(TOKEN_BYTES);
  const expiresAt = new Date(now.getTime() + expiresInSeconds * 1000);
  const row = await putInvitation(tx, {
    ...{ invitationId: newId(), accountId, keyName, role, creator: settings.creator ?? null },
    ...{ tokenHash: hashOf(token), createdAt: now, expiresAt },
  });
  // Browsers do not send the fragment to servers, so that no log of a proxy has the token.
  const url = `${consoleUrl}${PAGE}#${token}`;
  return { row, url };
}

export function invitationView(row: InvitationRow): Invitation {
  return {
    invitationId: row.invitation_id,
    name: row.key_name,
    role: row.role,
    created: row.created_at.toISOString(),
    creator: row.creator,
    expires: row.expires_at.toISOString(),
  };
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
    const invitation = await consumeInvitation(tx, tokenHash);
    const { now, sourceAddress, requestId } = by;
    if (!account || account.deleted_at || !invitation || invitation.expires_at <= now) return null;
    const { key_name: name, role, creator } = invitation;
    const issued = { accountId, name, role, expiresAt: null, ...(creator !== null && { creator }) };
    const key = await issueApiKey(tx, issued, now);
    await insertAuditLogEntry(tx, {
      ...{ entryId: newId(), at: now, administrator: INVITED_USER, sourceAddress, requestId, accountId },
      ...{ action: 'invitation.accepted', apiKeyPrefix: key.prefix },
      changes: { name: { before: null, after: key.name } },
    });
    return { secret: key.secret };
  });
}
