import {
  createInvitation as createOperation,
  deleteInvitation as deleteOperation,
  listInvitations,
} from '@calls/api-contract/operations/invitations.operations';
import { MAX_INVITATIONS } from '@calls/api-contract/rest/invitation';
import type { Clock } from '@calls/foundation/clock';
import type { Database } from '@calls/store/store';
import {
  countOpenInvitations,
  deleteInvitation,
  invitationsOf,
} from '@calls/store/tables/account-invitations';
import { lockWholeAccount } from '@calls/store/tables/accounts';
import { createInvitation, invitationView } from '../accounts/invitations.ts';
import { HttpProblem, orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';
import type { Paging } from './paging.ts';

export function invitationRoutes(
  api: ApiRouter,
  { db, clock, paging }: { db: Database; clock: Clock; paging: Paging },
): void {
  const now = (): Date => new Date(clock.wallMs());
  api
    .list(listInvitations, ({ accountId }) => ({
      source: invitationsOf(db, accountId, now()),
      item: invitationView,
    }))
    .on(createOperation, ({ accountId, body, holder }) =>
      db.transaction().execute(async (tx) => {
        const account = await lockWholeAccount(tx, accountId);
        orNotFound('account', account);
        if ((await countOpenInvitations(tx, accountId, now())) >= MAX_INVITATIONS)
          throw new HttpProblem(409, 'conflict', `The account has ${MAX_INVITATIONS} open invitations.`);
        const { name: keyName, role = 'member', expiresInSeconds } = body;
        const settings = { keyName, role, expiresInSeconds, creator: holder.prefix };
        const place = { now: now(), consoleUrl: paging.publicUrl };
        const { row, url } = await createInvitation(tx, accountId, settings, place);
        return { ...invitationView(row), url };
      }),
    )
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('invitation', await deleteInvitation(db, accountId, params.invitation_id));
    });
}
