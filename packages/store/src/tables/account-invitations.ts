import type { Selectable } from 'kysely';
import type { AccountInvitationTable } from '../schema/account-tables.ts';
import type { Database } from '../store.ts';

export interface NewInvitation {
  accountId: string;
  keyName: string;
  tokenHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
}

/** Replaces the account's earlier invitation. */
export async function putInvitation(db: Database, invitation: NewInvitation): Promise<void> {
  const row = {
    account_id: invitation.accountId,
    key_name: invitation.keyName,
    token_hash: invitation.tokenHash,
    created_at: invitation.createdAt,
    expires_at: invitation.expiresAt,
  };
  await db
    .insertInto('account_invitations')
    .values(row)
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute();
}

/** The name of the key that the deleted invitation would have given; undefined if the account has none. */
export async function deleteInvitation(db: Database, accountId: string): Promise<string | undefined> {
  const row = await db
    .deleteFrom('account_invitations')
    .where('account_id', '=', accountId)
    .returning('key_name')
    .executeTakeFirst();
  return row?.key_name;
}

/** The account that the token invites to; undefined if there is no such invitation. */
export async function findInvitedAccount(db: Database, tokenHash: Buffer): Promise<string | undefined> {
  const row = await db
    .selectFrom('account_invitations')
    .select('account_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  return row?.account_id;
}

/** Deletes the invitation, so that only one caller gets it. Undefined if it does not exist any more. */
export function takeInvitation(
  db: Database,
  tokenHash: Buffer,
): Promise<Selectable<AccountInvitationTable> | undefined> {
  return db
    .deleteFrom('account_invitations')
    .where('token_hash', '=', tokenHash)
    .returningAll()
    .executeTakeFirst();
}
