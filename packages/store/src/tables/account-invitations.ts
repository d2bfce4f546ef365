import type { KeyRole } from '@calls/api-contract/rest/api-key';
import { sql, type Selectable } from 'kysely';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { AccountInvitationTable } from '../schema/account-tables.ts';
import type { Database } from '../store.ts';

export type InvitationRow = Selectable<AccountInvitationTable>;

export interface NewInvitation {
  invitationId: string;
  accountId: string;
  keyName: string;
  role: KeyRole;
  tokenHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
  /** Prefix of the key that invites; null: the operator, whose earlier invitation is replaced. */
  creator: string | null;
}

/** Also deletes expired invitations of the account. */
export async function putInvitation(tx: Database, invitation: NewInvitation): Promise<InvitationRow> {
  const { accountId, creator, createdAt } = invitation;
  if (creator === null) await deleteOperatorInvitation(tx, accountId);
  await tx
    .deleteFrom('account_invitations')
    .where('account_id', '=', accountId)
    .where('expires_at', '<=', createdAt)
    .execute();
  return tx
    .insertInto('account_invitations')
    .values({
      invitation_id: invitation.invitationId,
      account_id: accountId,
      key_name: invitation.keyName,
      role: invitation.role,
      token_hash: invitation.tokenHash,
      created_at: createdAt,
      expires_at: invitation.expiresAt,
      creator,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Invitations that are not expired, newest first. */
export function invitationsOf(db: Database, accountId: string, now: Date): PageSource<InvitationRow> {
  const open = db
    .selectFrom('account_invitations')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now);
  return pagesOf<InvitationRow>(open, orderedBy('desc', 'created_at', 'invitation_id'));
}

export async function countOpenInvitations(db: Database, accountId: string, now: Date): Promise<number> {
  const { count } = await db
    .selectFrom('account_invitations')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return count;
}

/** Undefined if the account has no such invitation. */
export function deleteInvitation(
  db: Database,
  accountId: string,
  invitationId: string,
): Promise<{ key_name: string } | undefined> {
  return db
    .deleteFrom('account_invitations')
    .where('account_id', '=', accountId)
    .where('invitation_id', '=', invitationId)
    .returning('key_name')
    .executeTakeFirst();
}

/** The name of the key that the operator's invitation would have given; undefined if there is none. */
export async function deleteOperatorInvitation(db: Database, accountId: string): Promise<string | undefined> {
  const row = await db
    .deleteFrom('account_invitations')
    .where('account_id', '=', accountId)
    .where('creator', 'is', null)
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
export function consumeInvitation(db: Database, tokenHash: Buffer): Promise<InvitationRow | undefined> {
  return db
    .deleteFrom('account_invitations')
    .where('token_hash', '=', tokenHash)
    .returningAll()
    .executeTakeFirst();
}
