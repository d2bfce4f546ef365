import { statements } from './statements.ts';

/** Roles and use of API keys, and several invitations of an account. */
export const members = statements(
  `alter table api_keys
    add column role text not null default 'administrator',
    add column last_used_at timestamptz(3)`,
  `alter table account_invitations
    add column invitation_id uuid not null default gen_random_uuid(),
    add column role text not null default 'administrator',
    add column creator text,
    drop constraint account_invitations_pkey,
    add primary key (invitation_id)`,
  `create index account_invitations_account on account_invitations (account_id)`,
);
